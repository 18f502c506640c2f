// The one phase that crosses into the world. What fails in it is `unknown` unless the executor proves otherwise; the slot says so
// before the answer does.
import type { Outcome, StartLog } from '../../contract/call/call.ts'
import { respond } from '../../contract/call/respond.ts'
import type { AdmittedCall } from '../../contract/call/stages.ts'
import { effectRow } from '../../contract/effects.ts'
import { mappableClasses } from '../../contract/taxonomy.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { effectOfStart, planRecovery } from '../../execute/attempt/recovery.ts'
import { type Attempts, attemptWithRetries, type RetryTerms } from '../../execute/attempt/retry.ts'
import { resolveCredentials } from '../../execute/credentials/resolve-credentials.ts'
import { egressOf } from '../../execute/egress/tool-egress.ts'
import { type Clock, type EpochMs, elapsedSince } from '../../json/clock.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { executorContext, typedInput, vettingOf, withTransaction } from '../call/tool-context.ts'
import type { Deps } from '../deps.ts'
import { type Act, type Gives, passWith, stop, type Verdict } from '../phase.ts'
import { recordLate } from '../record/record-pass.ts'
import { endLate, failureEnd, scrubWarnings } from '../record/settle.ts'
import { countStart } from './admit.ts'

const unavailable = ['execution_failed', 'credential_missing', 'dependency_unavailable'] as const
/** `blocked_tool`: what is served is not what a person approved. */
const againstPolicy = ['execution_failed', 'blocked_tool'] as const

type Given = Gives<AdmittedCall, 'outcome' | 'tries' | 'startLog' | 'effect', 'warnings' | 'due' | 'escalations'>

export const execute: Act<AdmittedCall, Given> = {
  name: 'execute',
  does: 'Runs the tool, with its timeout, an abort signal and the retries its contract allows.',
  stopsWith: [
    { class: 'TIMEOUT', reasons: ['timeout'] },
    { class: 'UNKNOWN_ERROR', reasons: ['execution_failed', 'canceled'] },
    // What the contract's error mapping may name.
    ...mappableClasses.map((name) => ({
      class: name,
      reasons:
        name === 'DEPENDENCY_UNAVAILABLE'
          ? unavailable
          : name === 'POLICY_VIOLATION'
            ? againstPolicy
            : (['execution_failed'] as const),
    })),
  ],
  async act(call, deps) {
    const { outcome, count: tries, log: startLog } = await attempt(call, deps)
    if (outcome.kind === 'failed') return failedVerdict({ ...call, tries, startLog }, outcome, deps)
    const warnings = scrubWarnings(call, outcome)
    return passWith({ outcome, tries, startLog, effect: outcome.effect, warnings })
  },
  keep: ({ outcome, attempt, tries, startLog, tool }) =>
    outcome === undefined
      ? undefined
      : {
          attempt: attempt ?? 1,
          tries: tries ?? 1,
          outcome: outcome.kind === 'returned' ? 'returned' : outcome.code,
          effect: outcome.effect,
          ...(startLog === undefined ? {} : keptLog(startLog)),
          ...(outcome.kind === 'returned' && outcome.scrubbed > 0 ? { scrubbed: outcome.scrubbed } : {}),
          ...(tool === undefined ? {} : keptReferences(tool)),
        },
}

/** Each start, where there was more than one, and why there were not more where the contract would have had it. */
function keptLog({ starts, blocked, gaveUp }: StartLog) {
  return {
    ...(starts.length > 1 ? { starts: starts as unknown as JsonValue } : {}),
    ...(blocked === undefined ? {} : { retries_blocked: blocked }),
    ...(gaveUp === undefined ? {} : { gave_up: gaveUp }),
  }
}

/** Which secrets it was given: where they are kept, never what they are. */
function keptReferences({ binding }: Tool): { readonly credentials?: JsonObject } {
  const asked = Object.entries(binding.credentials)
  return asked.length === 0 ? {} : { credentials: Object.fromEntries(asked.map(([name, { ref }]) => [name, ref])) }
}

/** A resolver of secrets is asked for no longer than this. */
const longestAskMs = 10_000

function attempt(call: AdmittedCall, deps: Deps): Promise<Attempts> {
  const { tool } = call
  const { runtime } = tool.contract
  const { executor, credentials } = tool.binding
  const asksForSecrets = Object.keys(credentials).length > 0
  const { name } = tool.contract.identity
  const inLedger = executor.commits === 'ledger'
  const { clock } = deps
  const watched = { callId: call.id, tool: name }
  return attemptWithRetries({
    executor: inLedger ? withTransaction(executor, call, deps) : executor,
    // What fails before its transaction commits is undone with it.
    failedEffect: inLedger ? 'none' : undefined,
    contract: tool.contract,
    args: () => typedInput(call),
    checksOutput: tool.binding.outputCheck !== undefined,
    mutates: effectRow(tool.contract.transactional.side_effect_class).mutates,
    context: {
      ...executorContext(call, deps),
      idempotencyKey: call.idempotencyKey,
      attempt: call.starts + 1,
      sql: undefined,
      egress: egressOf(tool),
      keyHeader: tool.contract.idempotency.key_header ?? undefined,
      ...vettingOf(executor, deps),
    },
    secrets: asksForSecrets
      ? () =>
          resolveCredentials({
            bindings: credentials,
            asker: { tenant: call.tenant, user: call.principal.user, tool: name, callId: call.id },
            resolvers: deps.credentials,
            timeoutMs: Math.min(runtime.timeout_ms, longestAskMs, leftOf(call, deps) ?? longestAskMs),
            signal: call.signal,
            report: deps.report,
          })
      : undefined,
    onMessage: (message) => deps.progress({ ...watched, ...message }),
    signal: call.signal,
    leftMs: () => leftOf(call, deps),
    late: inLedger ? () => undefined : (outcome) => void settleLate(call, outcome, deps),
    mayStart: () => call.nonce === undefined || deps.ledger.operations.mayAct(call.nonce),
    maxRetries: runtime.max_retries,
    terms: () => retryTerms(call, deps),
    clock,
  })
}

function retryTerms(call: AdmittedCall, deps: Deps): RetryTerms {
  const { error_contract: errorContract } = call.tool.contract
  return {
    mayRetry: ({ class: taxonomyClass, reason, code }) =>
      // A secret that is not there is not there a moment later either.
      (reason !== 'credential_missing' || code === 'credential_unavailable') &&
      respond({ class: taxonomyClass, reason, effect: 'none', errorContract }).retryable,
    mayResend: () => mayResend(call, deps.clock),
    count: () => countStart(call, deps),
    random: () => Buffer.from(deps.entropy.bytes(2)).readUInt16LE() / 0xffff,
  }
}

/** How much time is left of what the caller gave this pass. */
function leftOf({ deadlineMs, openedAt }: AdmittedCall, { clock }: Deps): number | undefined {
  return deadlineMs === undefined || openedAt === undefined ? undefined : deadlineMs - elapsedSince(clock, openedAt)
}

/** By the ledger's clock, as recovery counts: what went by since the call was opened is counted in full. */
function mayResend(call: AdmittedCall, clock: Clock): boolean {
  const { tool, openedAt, slotRecord, idempotencyKey, judgedAt } = call
  if (call.resent || openedAt === undefined || idempotencyKey === undefined) return false
  const createdAt = call.attempt > 1 ? slotRecord?.createdAt : judgedAt
  if (createdAt === undefined) return false
  const at = Math.ceil(judgedAt + elapsedSince(clock, openedAt)) as EpochMs
  return planRecovery({ slot: { createdAt, idempotencyKey }, tool, lastStart: at, at }).kind === 'send_again'
}

function failedVerdict(call: AdmittedCall, outcome: Extract<Outcome, { kind: 'failed' }>, deps: Deps): Verdict<Given> {
  const { retryAfterMs, message } = outcome
  const effect = effectOfStart(outcome.effect, call.resent)
  const error = { field: '$', expected: '', actual: outcome.code, message }
  const failure = stop(outcome.class, outcome.reason, [error], retryAfterMs === undefined ? {} : { retryAfterMs })
  const end = failureEnd({ ...call, outcome, effect }, failure, deps)
  const { tries, startLog } = call
  return { ...failure, gives: { ...end, outcome, effect, tries, startLog } }
}

async function settleLate(call: AdmittedCall, outcome: Outcome, deps: Deps): Promise<void> {
  try {
    const ended = await endLate(call, outcome, deps)
    if (ended === undefined || (outcome.effect !== 'happened' && outcome.effect !== 'none')) return
    await recordLate(ended, outcome.effect, deps)
  } catch (fault) {
    // The ledger is gone; the record stays as it is, and recovery finds out.
    deps.report(fault)
  }
}
