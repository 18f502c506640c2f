// A whole binding from what the author chose: everything else follows from the effect class. defineTool, tool files and the linter all
// fill bindings here, so that a default is the same wherever a tool is written.
import { patterns } from '../approval/approval-pattern.ts'
import { type ApprovalPattern, type EffectClass, effectRow } from '../effects.ts'
import type { BoundVerification, VerifierSource } from '../verification/verifier.ts'
import type { Connections, Executor, Preflight } from './executor.ts'
import type { Binding } from './tool.ts'

type Plain = Omit<Binding, 'executor' | 'approval' | 'persistence' | 'recovery' | 'connections'>

export type BindingChoices = { readonly [Key in keyof Plain]?: Plain[Key] | undefined } & {
  readonly approval?: {
    readonly pattern?: ApprovalPattern | undefined
    readonly quorum?: number | undefined
    readonly roles?: readonly string[] | undefined
    readonly ttlMs?: number | undefined
  }
  readonly persistence?: { readonly [Key in keyof Binding['persistence']]?: Binding['persistence'][Key] | undefined }
  readonly connections?: { readonly [Key in keyof Connections]?: Connections[Key] | undefined } | undefined
  readonly recovery?: { readonly [Key in keyof Binding['recovery']]?: Binding['recovery'][Key] | undefined }
}

const maxInlineBytes = 256 * 1024
/** Only what is mapped counts as chosen. */
const maxBytes = 16 * 1024 * 1024
const previewBytes = 1_024
/** Long enough for a request that sits in a proxy's queue. */
const horizonMs = 60_000

export function fillBinding(effect: EffectClass, choices: BindingChoices, executor: Executor): Binding {
  const row = effectRow(effect)
  const { approval, persistence, recovery } = choices
  return {
    dialect: choices.dialect,
    strict: choices.strict ?? row.mutates,
    aliases: choices.aliases ?? [],
    searchHint: choices.searchHint,
    deferred: choices.deferred ?? false,
    roles: choices.roles,
    sensitive: choices.sensitive ?? [],
    operation: choices.operation,
    share: choices.share ?? 'run',
    resource: choices.resource,
    amount: choices.amount,
    locks: choices.locks ?? [],
    concurrent: choices.concurrent ?? !row.mutates,
    interrupt: choices.interrupt ?? (row.mutates ? 'block' : 'cancel'),
    modifiesContext: choices.modifiesContext ?? false,
    maxRepairs: choices.maxRepairs,
    approval: {
      pattern: approval?.pattern ?? row.pattern,
      quorum: approval?.quorum ?? row.quorum,
      roles: approval?.roles,
      ttlMs: approval?.ttlMs ?? patterns[approval?.pattern ?? row.pattern].ttlMs,
    },
    consequence: choices.consequence,
    persistence: {
      mode: persistence?.mode,
      maxInlineBytes: persistence?.maxInlineBytes ?? maxInlineBytes,
      maxBytes: persistence?.maxBytes ?? Math.max(maxBytes, persistence?.maxInlineBytes ?? 0),
      previewBytes: persistence?.previewBytes ?? Math.min(previewBytes, persistence?.maxInlineBytes ?? previewBytes),
      redact: persistence?.redact ?? [],
    },
    rules: choices.rules ?? [],
    trusted: choices.trusted ?? false,
    residency: choices.residency,
    egressDomains: choices.egressDomains ?? [],
    connections: {
      ports: choices.connections?.ports ?? [],
      loopback: choices.connections?.loopback ?? false,
      plain: choices.connections?.plain ?? false,
    },
    credentials: choices.credentials ?? {},
    preflight: inTurn(executor.preflight, choices.preflight),
    state: choices.state,
    verifier: choices.verifier ?? (executor.verifier === undefined ? undefined : atOnce([executor.verifier])),
    compensation: choices.compensation,
    recovery: {
      horizonMs: recovery?.horizonMs ?? horizonMs,
      providerWindowMs: recovery?.providerWindowMs,
      expired: recovery?.expired ?? 'reject',
    },
    inputCheck: choices.inputCheck,
    outputCheck: choices.outputCheck,
    executor,
  }
}

/** The executor's own look first: what it cannot do at all is no question for the host. */
function inTurn(first: Preflight | undefined, second: Preflight | undefined): Preflight | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return async (args, context) => (await first(args, context)) ?? second(args, context)
}

/** Read within the call, and once. */
export const atOnce = (sources: readonly VerifierSource[]): BoundVerification => ({
  sources,
  delayMs: 0,
  again: { times: 0, everyMs: 0 },
})
