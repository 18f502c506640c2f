// What of a call its verification goes by: the document that targets and predicates point into, and what a later reading is left.
import type { Observation } from '../../contract/call/observation.ts'
import type { AdmittedCall, Call } from '../../contract/call/stages.ts'
import { atOnce } from '../../contract/tool/fill-binding.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { verificationDepth, whenReadBack } from '../../contract/verification/verification-depth.ts'
import type { BoundVerification, VerificationBody, VerificationRequest } from '../../contract/verification/verifier.ts'
import type { CallDocument } from '../../execute/verification/predicates.ts'
import { prepareSource } from '../../execute/verification/prepare.ts'
import { nextWait } from '../../execute/verification/reports.ts'
import { canonicalize } from '../../json/canonical.ts'
import { ownCopy } from '../../json/copy.ts'
import { touches } from '../../json/mask.ts'
import { readPointer, tokensOf } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { foretoldState } from './question.ts'

const ownState: BoundVerification = atOnce(['state'])

/** Where the contract wants the effect read back and nothing is bound for it, the tool's own foretold state is held against what is there. */
export function verificationOf({
  binding,
  contract,
}: Pick<Tool, 'binding' | 'contract'>): BoundVerification | undefined {
  if (binding.verifier !== undefined) return binding.verifier
  return whenReadBack({ binding, contract }) !== undefined ? ownState : undefined
}

function documentOf(call: Call): CallDocument {
  const { principal, state, whole } = call
  const about: Record<string, JsonValue> = { id: call.id, tenant: call.tenant }
  const named = { user: principal.user, run: call.run, idempotency_key: call.idempotencyKey, trace: call.traceId }
  for (const [name, value] of Object.entries(named)) if (value !== undefined) about[name] = value
  return {
    args: call.callJson ?? {},
    ...(whole === undefined ? {} : { result: whole }),
    ...(state === undefined ? {} : { before: state }),
    call: about,
  }
}

export function bodyOf(call: AdmittedCall, { sources }: BoundVerification): VerificationBody {
  const { approval, state } = call
  const document = ownCopy(documentOf(call))
  const foretold = sources.includes('state') ? foretoldState(call) : null
  const prepared = sources.map((source) => prepareSource(source, { document, foretold }))
  const needsResult = sources.some((source) => typeof source === 'function')
  return {
    sources: prepared,
    result: needsResult ? (call.json ?? null) : null,
    before: state,
    idempotencyKey: call.idempotencyKey,
    payloadHash: call.payloadHash,
    approved:
      approval === undefined
        ? undefined
        : { executorVersion: approval.ground.executorVersion, policies: approval.policies },
    attempt: call.attempt,
    target: targetReference(call, call.tool, prepared),
  }
}

/** What to read back: what the first source reads, else the argument that names the target; nothing that is sensitive. */
export function targetReference(
  { callJson }: Pick<Call, 'callJson'>,
  { binding }: Tool,
  prepared: VerificationBody['sources'],
): string | null {
  const index = prepared.findIndex(({ kind }) => kind === 'read')
  const source = binding.verifier?.sources[index]
  const read = prepared[index]
  if (read?.kind === 'read' && typeof source === 'object' && typeof source.target === 'object') {
    const pointers = source.target
    const shown = Object.entries(read.target).map(([name, value]) =>
      isShown(pointers[name] ?? '', binding) ? `${name}=${canonicalize(value)}` : name,
    )
    return shown.join(' ').slice(0, 400)
  }
  return resourceReference(binding, callJson)
}

function resourceReference(
  { resource: pointer, sensitive }: Tool['binding'],
  callJson: Call['callJson'],
): string | null {
  if (pointer === undefined || callJson === undefined) return null
  const value = readPointer(callJson, pointer)
  if (value === undefined) return null
  return touches(tokensOf(pointer), sensitive) ? pointer : `${pointer}=${canonicalize(value).slice(0, 200)}`
}

/** Whether a place in the document of the call may be seen outside of it. The state before is for people, not for models. */
function isShown(pointer: string, { sensitive, persistence }: Tool['binding']): boolean {
  const [root, ...rest] = tokensOf(pointer)
  if (root === 'args') return !touches(rest, sensitive)
  if (root === 'result') return !touches(rest, persistence.redact)
  return root === 'call'
}

/** What the first source that is data expects, by place; only what may be shown. */
function expectedState(call: Call, { binding }: Tool): JsonObject | null {
  const source = binding.verifier?.sources.find((one) => typeof one === 'object')
  if (typeof source !== 'object') return null
  const document = documentOf(call)
  const expected = source.expect.flatMap((predicate): [string, JsonValue][] => {
    const { path, is, value, from } = predicate
    if (is === 'changed' || is === 'exists' || is === 'absent') return [[path, is]]
    const wanted = from === undefined ? value : isShown(from, binding) ? readDocumentAt(document, from) : undefined
    if (wanted === undefined) return [[path, is]]
    return [[path, is === 'equals' ? wanted : { [is]: wanted }]]
  })
  return expected.length === 0 ? null : Object.fromEntries(expected)
}

const readDocumentAt = (document: CallDocument, pointer: string) =>
  readPointer(document as unknown as JsonObject, pointer)

/** The observation's verification hints: what must still be checked in the world. */
export function hintsOf(call: Call, foretold: () => JsonObject | null): Observation['verification'] {
  const { tool, effect, verification } = call
  const isWanted = tool?.contract.transactional.post_action_verification_required === true
  if (tool === undefined || effect === 'none' || !(isWanted || verification?.state === 'PENDING')) return noHints
  return {
    post_action_verification_required: true,
    target_state_reference: verification?.target ?? targetReference(call, tool, []),
    expected_state: foretold() ?? expectedState(call, tool),
    delay_seconds: delaySeconds(tool, verification?.state),
  }
}

function delaySeconds({ binding }: Tool, state: string | undefined): number {
  const { verifier } = binding
  if (verifier === undefined || state === 'VERIFIED') return 0
  return Math.ceil((verifier.delayMs > 0 ? verifier.delayMs : state === 'PENDING' ? verifier.again.everyMs : 0) / 1_000)
}

export const noHints: Observation['verification'] = Object.freeze({
  post_action_verification_required: false,
  target_state_reference: null,
  expected_state: null,
  delay_seconds: 0,
})

/** A process that reads within the call has this much longer than the reading may take; then another reads instead of it. */
const marginMs = 30_000

/** A read has nothing to read back. */
const planOf = ({ tool, slotRef }: AdmittedCall) => (slotRef === undefined ? undefined : verificationOf(tool))

/** With the settle the reading is written down, so that no crash loses it, also where it follows at once. */
export function verifyWithSettle(call: AdmittedCall, isFailure: boolean): VerificationRequest | undefined {
  const { tool, due } = call
  const plan = planOf(call)
  if (plan === undefined || due?.effect !== 'happened' || isFailure) return undefined
  const withinCall = tool.contract.runtime.timeout_ms + marginMs
  return requestOf(call, plan, plan.delayMs > 0 ? plan.delayMs : withinCall, 0)
}

/** When it is read next, where a reading within the call found the effect not there yet. */
export function verifyAgain(call: AdmittedCall): VerificationRequest | undefined {
  const plan = planOf(call)
  if (plan === undefined || plan.delayMs > 0 || call.verification?.state !== 'PENDING') return undefined
  return requestOf(call, plan, nextWait(plan, 1) ?? 0, 1)
}

/** Whether the effect was read back within the call, so that it has not to be read later. */
export function isReadBack(call: AdmittedCall): boolean {
  const { verification } = call
  return verification !== undefined && verification.state !== 'PENDING' && planOf(call) !== undefined
}

function requestOf(call: AdmittedCall, plan: BoundVerification, afterMs: number, reads: number): VerificationRequest {
  return { afterMs, reads, slotKey: call.slotRef?.key, generation: call.generation, body: bodyOf(call, plan) }
}

/** Whether people are asked, for this effect class, where an effect stays unverified. */
export const isEscalated = ({ contract }: Tool): boolean =>
  contract.transactional.post_action_verification_required ||
  verificationDepth[contract.transactional.side_effect_class].unverifiable === 'escalated'
