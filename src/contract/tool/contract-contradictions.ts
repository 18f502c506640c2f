// What registration refuses about a contract and its binding: where they promise one thing and demand another.
import { isMultipleOf } from '../../json/decimal.ts'
import { isPointer } from '../../json/pointer.ts'
import { effectRow } from '../effects.ts'
import { type ContradictionRow, when } from '../find-contradictions.ts'
import { isTaxonomyClass, mappableClasses, type TaxonomyClass, taxonomy } from '../taxonomy.ts'
import { missingDepth } from '../verification/verification-depth.ts'
import { isBrokenVerifier, isUnwatched } from '../verification/verifier-fault.ts'
import { templatePointers } from './argument-template.ts'
import { type CredentialBinding, isCredential } from './credential.ts'
import { isDomainEntry } from './domain.ts'
import { framing } from './framing.ts'
import type { Tool } from './tool.ts'

/** A tool that comes in, and what the ledger it comes to survives. */
export interface Registration {
  readonly tool: Tool
  readonly ledger: 'ephemeral' | 'durable'
  /** `missing`: this process is root, and the host has named no users for programs. */
  readonly programUsers: 'there' | 'missing'
}

const ofTool = (holds: (tool: Tool, ledger: Registration['ledger']) => boolean) =>
  when<Registration>(({ tool, ledger }) => holds(tool, ledger))

const classOf = (tool: Tool) => effectRow(tool.contract.transactional.side_effect_class)
const errorLists = ['repairable_errors', 'retryable_errors', 'fail_closed_errors', 'escalation_errors'] as const

/** Header lines that mean something else already. */
const ownHeaders: ReadonlySet<string> = new Set([...framing, 'authorization', 'content-type', 'cookie'])

const mappable: ReadonlySet<TaxonomyClass> = new Set<TaxonomyClass>([...mappableClasses, 'TIMEOUT', 'UNKNOWN_ERROR'])

export const contractContradictions: readonly ContradictionRow<Registration>[] = [
  {
    id: 'critical-on-ephemeral-ledger',
    pointer: '/contract/transactional/side_effect_class',
    remedy: 'CRITICAL_MUTATION needs a ledger that survives a crash; open Proviso with a durable one.',
    find: ofTool((tool, ledger) => classOf(tool).durableLedger && ledger === 'ephemeral'),
  },
  {
    id: 'commits-without-database',
    pointer: '/binding/executor',
    remedy: 'commits ledger needs a ledger with a database of its own; open Proviso with one, or leave it out.',
    find: ofTool((tool, ledger) => tool.binding.executor.commits === 'ledger' && ledger === 'ephemeral'),
  },
  {
    id: 'provider-window-without-key',
    pointer: '/binding/recovery',
    remedy:
      'A provider that remembers keys needs to be given one: set idempotency.supported to true, or leave the window out.',
    find: ofTool(
      ({ contract, binding }) => binding.recovery.providerWindowMs !== undefined && !contract.idempotency.supported,
    ),
  },
  {
    id: 'retried-without-idempotency',
    pointer: '/contract/runtime/max_retries',
    remedy:
      'A tool that changes something may be retried only when idempotency.supported is true; set max_retries to 0 or support it.',
    find: ofTool(
      ({ contract }) =>
        effectRow(contract.transactional.side_effect_class).mutates &&
        contract.runtime.max_retries > 0 &&
        !contract.idempotency.supported,
    ),
  },
  {
    id: 'compensable-without-compensation',
    pointer: '/contract/transactional/compensation_tool',
    remedy:
      'semantics compensable_write needs a compensation_tool; name the tool that undoes the effect, or choose other semantics.',
    find: ofTool(
      ({ contract: { transactional } }) =>
        transactional.semantics === 'compensable_write' && transactional.compensation_tool === null,
    ),
  },
  {
    id: 'compensation-not-mapped',
    pointer: '/binding/compensation',
    remedy:
      'binding.compensation says what the compensation_tool of the contract is called with: name one, and point with $from below /arguments or /result.',
    find: ofTool(({ contract, binding: { compensation } }) => {
      if (compensation === undefined) return false
      if (contract.transactional.compensation_tool === null) return true
      const { arguments: made } = compensation
      return (
        typeof made !== 'function' &&
        templatePointers(made).some(({ pointer, valid }) => !(valid && /^\/(?:arguments|result)(?:\/|$)/.test(pointer)))
      )
    }),
  },
  {
    id: 'confirmation-too-weak',
    pointer: '/contract/transactional/confirmation_required',
    remedy: 'This effect class always needs approval; set confirmation_required to true.',
    find: ofTool(
      (tool) => classOf(tool).confirmation === 'always' && !tool.contract.transactional.confirmation_required,
    ),
  },
  {
    id: 'verification-too-weak',
    pointer: '/contract/transactional/post_action_verification_required',
    remedy: 'This effect class must be read back; set post_action_verification_required to true.',
    find: ofTool(
      (tool) =>
        classOf(tool).verification === 'required' && !tool.contract.transactional.post_action_verification_required,
    ),
  },
  {
    id: 'verifier-broken',
    pointer: '/binding/verifier',
    remedy:
      'A verifier reads with a function or an executor that only reads and that egress_policy lets out, points into /args, /result, /call or, where the tool reads its state, /before, and compares with a value or a place; what changes nothing is read back at once.',
    find: ofTool(isBrokenVerifier),
  },
  {
    id: 'verifier-too-weak',
    pointer: '/binding/verifier',
    remedy:
      'The verifier checks less than this effect class demands: MEDIUM compares with the state before or names the actor; HIGH looks for the key or id of the provider, the target and the amount; CRITICAL reads two sources besides.',
    find: ofTool((tool) => !isBrokenVerifier(tool) && missingDepth(tool).length > 0),
  },
  {
    id: 'semantics-do-not-fit-class',
    pointer: '/contract/transactional/semantics',
    remedy: 'semantics read_only goes with READ_ONLY and with nothing else.',
    find: ofTool((tool) => classOf(tool).mutates === (tool.contract.transactional.semantics === 'read_only')),
  },
  {
    id: 'idempotency-too-weak',
    pointer: '/contract/idempotency',
    remedy: 'This effect class needs idempotency: set supported, required and payload_hash_required to true.',
    find: ofTool((tool) => {
      const { supported, required, payload_hash_required } = tool.contract.idempotency
      return classOf(tool).idempotency === 'required' && !(supported && required && payload_hash_required)
    }),
  },
  {
    id: 'audit-too-weak',
    pointer: '/contract/observability/audit_required',
    remedy: 'This effect class is audited; set audit_required to true.',
    find: ofTool((tool) => classOf(tool).audit && !tool.contract.observability.audit_required),
  },
  {
    id: 'quorum-too-small',
    pointer: '/binding/approval/quorum',
    remedy: 'The effect class demands more approvers than the binding; raise approval.quorum.',
    find: ofTool(
      (tool) =>
        tool.contract.transactional.confirmation_required && tool.binding.approval.quorum < classOf(tool).quorum,
    ),
  },
  {
    id: 'approval-time-unbounded',
    pointer: '/binding/approval',
    remedy: 'An approval request runs out between one second and one year after it was made; set its time within that.',
    find: ofTool(({ binding: { approval } }) => !(approval.ttlMs >= 1_000 && approval.ttlMs <= 366 * 86_400_000)),
  },
  {
    id: 'not-isolated',
    pointer: '/contract/runtime/sandbox_isolated',
    remedy:
      'The contract wants isolation and nothing isolates this executor here; run it as a process where bubblewrap works, or set sandbox_isolated to false.',
    find: ofTool(({ contract, binding }) => contract.runtime.sandbox_isolated && !binding.executor.isolated),
  },
  {
    id: 'program-without-user',
    pointer: '/binding/executor/isolation',
    remedy:
      'As root, a program without a sandbox needs a user of its own for each tenant; write programs: { users: { TENANT: 200001 } } in openProviso, or isolation: bubblewrap, or start Proviso as another user.',
    find: when(({ tool, programUsers }) => tool.binding.executor.unconfined === true && programUsers === 'missing'),
  },
  {
    id: 'credentials-without-boundary',
    pointer: '/contract/security/secrets_boundary',
    remedy:
      'The binding asks for credentials and the contract says that there are none; set secrets_boundary to gateway_injected or execution_sandbox, or ask for none.',
    find: ofTool(
      ({ contract, binding }) => contract.security.secrets_boundary === 'none' && askedOf(binding).length > 0,
    ),
  },
  {
    id: 'secrets-outside-sandbox',
    pointer: '/contract/security/secrets_boundary',
    remedy:
      'secrets_boundary execution_sandbox keeps secrets inside a sandbox, and this executor or the verifier runs outside of one; use an isolating executor and no credentials for the verifier, or gateway_injected.',
    find: ofTool(
      ({ contract, binding }) =>
        contract.security.secrets_boundary === 'execution_sandbox' &&
        (!binding.executor.isolated || Object.keys(binding.verifier?.credentials ?? {}).length > 0),
    ),
  },
  {
    id: 'bad-credential',
    pointer: '/binding/credentials',
    remedy:
      'A credential has a name such as api_key, a ref such as billing/api of at most 256 characters without empty parts, and is per tenant or per user.',
    find: ofTool(({ binding }) => askedOf(binding).some((entry) => !isCredential(entry))),
  },
  {
    id: 'effect-below-executor',
    pointer: '/contract/transactional/side_effect_class',
    remedy:
      'What this executor does is never as little as the class says: a request that changes is no read, and a form or a live mail is HIGH_RISK_EXTERNAL at least.',
    find: ofTool((tool) => {
      const { leastEffect } = tool.binding.executor
      return leastEffect !== undefined && classOf(tool).rank < effectRow(leastEffect).rank
    }),
  },
  {
    id: 'change-by-a-read',
    pointer: '/contract/transactional/side_effect_class',
    remedy: 'This executor can only read; declare READ_ONLY, or use a method that changes something.',
    find: ofTool((tool) => tool.binding.executor.readsOnly === true && classOf(tool).mutates),
  },
  {
    id: 'connects-without-egress',
    pointer: '/contract/security/egress_policy',
    remedy: 'This executor opens connections, and egress_policy none allows none; choose the policy that fits.',
    find: ofTool(
      ({ contract, binding: { executor } }) =>
        executor.connects === true && executor.unwatched !== true && contract.security.egress_policy === 'none',
    ),
  },
  {
    id: 'connections-not-watched',
    pointer: '/contract/security/egress_policy',
    remedy:
      'Where a program of its own connects to cannot be watched; declare unrestricted_with_approval, run it in bubblewrap without network, or say network: false where you know that it connects to no other host.',
    find: ofTool(({ contract, binding: { executor } }) => isUnwatched(executor, contract)),
  },
  {
    id: 'no-domains-listed',
    pointer: '/binding/egress_domains',
    remedy:
      'egress_policy allowlisted_domains needs egress_domains, and each is the name of a host or a suffix such as *.example.com, without scheme, port or path.',
    find: ofTool(
      ({ contract, binding }) =>
        (contract.security.egress_policy === 'allowlisted_domains' && binding.egressDomains.length === 0) ||
        !binding.egressDomains.every(isDomainEntry),
    ),
  },
  {
    id: 'bad-port',
    pointer: '/binding/connections/ports',
    remedy: 'A port is a whole number from 1 to 65535.',
    find: ofTool(
      ({ binding }) =>
        !binding.connections.ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535),
    ),
  },
  {
    id: 'key-reaches-nobody',
    pointer: '/contract/idempotency/key_header',
    remedy:
      'The binding says that the provider honours the key, and the request does not carry it; name the header in idempotency.key_header.',
    find: ofTool(
      ({ contract, binding }) =>
        binding.executor.kind === 'http' &&
        binding.recovery.providerWindowMs !== undefined &&
        contract.idempotency.key_header === null,
    ),
  },
  {
    id: 'key-header-refused',
    pointer: '/contract/idempotency/key_header',
    remedy:
      'key_header is the name of a header of its own, such as Idempotency-Key; it does not frame or authorize the request.',
    find: ofTool(
      ({ contract: { idempotency } }) =>
        idempotency.key_header !== null &&
        (!/^[A-Za-z0-9-]{1,64}$/.test(idempotency.key_header) || ownHeaders.has(idempotency.key_header.toLowerCase())),
    ),
  },
  {
    id: 'unknown-error-class',
    pointer: '/contract/error_contract',
    remedy: 'error_contract and error_taxonomy_mapping may name only the 21 classes of the taxonomy.',
    find: ofTool(
      ({ contract }) =>
        errorLists.some((list) => contract.error_contract[list].some((name) => !isTaxonomyClass(name))) ||
        Object.values(contract.observability.error_taxonomy_mapping).some((name) => !isTaxonomyClass(name)),
    ),
  },
  {
    id: 'fail-closed-loosened',
    pointer: '/contract/error_contract',
    remedy: 'A class that fails closed cannot be repairable or retryable; remove it from those lists.',
    find: ofTool(({ contract: { error_contract } }) =>
      [...error_contract.repairable_errors, ...error_contract.retryable_errors].some(
        (name) => isTaxonomyClass(name) && taxonomy[name].failClosed,
      ),
    ),
  },
  {
    id: 'retried-and-failed-closed',
    pointer: '/contract/error_contract',
    remedy: 'A class cannot be repairable or retryable and fail closed at once; leave it in one of the lists.',
    find: ofTool(({ contract: { error_contract } }) =>
      [...error_contract.repairable_errors, ...error_contract.retryable_errors].some((name) =>
        error_contract.fail_closed_errors.includes(name),
      ),
    ),
  },
  {
    id: 'error-code-stands-for-a-gate',
    pointer: '/contract/observability/error_taxonomy_mapping',
    remedy:
      'An executor cannot say that a person must approve or that an operation was reused; map its codes to what it can know.',
    find: ofTool(({ contract }) =>
      Object.values(contract.observability.error_taxonomy_mapping).some(
        (name) => isTaxonomyClass(name) && !mappable.has(name),
      ),
    ),
  },
  {
    id: 'bad-pointer',
    pointer: '/binding',
    remedy: 'operation, resource, amount, locks, sensitive and redact are JSON Pointers such as /invoice_id.',
    find: ofTool(({ binding }) =>
      [
        ...(Array.isArray(binding.operation) ? binding.operation : []),
        ...(binding.resource === undefined ? [] : [binding.resource]),
        ...amountPointers(binding),
        ...binding.locks,
        ...binding.sensitive,
        ...binding.persistence.redact,
        ...(binding.state?.match ?? []).flatMap(({ argument, state }) => [argument, state]),
      ].some((pointer) => pointer === '' || !isPointer(pointer)),
    ),
  },
  {
    id: 'secret-result-is-kept',
    pointer: '/binding/persistence/mode',
    remedy:
      'Results of a tool that touches secrets are not stored: leave mode out, or choose never_persist or drop_with_reason.',
    find: ofTool(
      ({ contract, binding: { persistence } }) =>
        contract.security.data_classification === 'secret' &&
        persistence.mode !== undefined &&
        persistence.mode !== 'never_persist' &&
        persistence.mode !== 'drop_with_reason',
    ),
  },
  {
    id: 'nothing-is-redacted',
    pointer: '/binding/persistence/redact',
    remedy: 'The mode redact masks the fields that redact names: name at least one.',
    find: ofTool(({ binding: { persistence } }) => persistence.mode === 'redact' && persistence.redact.length === 0),
  },
  {
    id: 'result-sizes-do-not-fit',
    pointer: '/binding/persistence',
    remedy:
      'Sizes are whole numbers of bytes, and no larger result is shown than is kept: preview_bytes ≤ max_inline_bytes ≤ max_bytes.',
    find: ofTool(({ binding: { persistence } }) => {
      const { previewBytes, maxInlineBytes, maxBytes } = persistence
      const areCounts = [previewBytes, maxInlineBytes, maxBytes].every(
        (size) => Number.isSafeInteger(size) && size >= 0,
      )
      return !areCounts || maxInlineBytes > maxBytes || previewBytes > maxInlineBytes
    }),
  },
  {
    id: 'money-cannot-be-counted',
    pointer: '/binding/amount',
    remedy:
      'Money is counted in millionths of a currency: decimals is a whole number from 0 to 6, a constant currency is a code such as EUR, and cost_per_call is not negative and has six digits behind the point at most.',
    find: ofTool(({ contract, binding: { amount } }) => {
      const { cost_per_call: cost } = contract.runtime.cost_profile
      const { currency, decimals = 0 } = amount ?? { currency: '' }
      return (
        !(Number.isInteger(decimals) && decimals >= 0 && decimals <= 6) ||
        (typeof currency === 'object' && !/^[A-Za-z]{3,12}$/.test(currency.const)) ||
        !(cost >= 0 && isMultipleOf(cost, 0.000001))
      )
    }),
  },
  {
    id: 'example-does-not-fit',
    pointer: '/contract/affordance/examples',
    remedy: 'Every example must satisfy input_schema; models copy them.',
    find: ofTool(({ contract, input }) =>
      contract.affordance.examples.some((example) => !input.matches(example.arguments)),
    ),
  },
]

/** All credentials that the binding asks for: those of the executor and those of the verifier. */
const askedOf = ({ credentials, verifier }: Tool['binding']): readonly (readonly [string, CredentialBinding])[] => [
  ...Object.entries(credentials),
  ...Object.entries(verifier?.credentials ?? {}),
]

function amountPointers({ amount }: Tool['binding']): readonly string[] {
  if (amount === undefined) return []
  return typeof amount.currency === 'string' ? [amount.pointer, amount.currency] : [amount.pointer]
}
