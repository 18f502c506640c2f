// Reads the effect of a call back: within the call, when its attempt was lost, or days later. What the class wants checked again is
// checked with it.
import type { AdmittedCall } from '../../contract/call/stages.ts'
import type { Executor, Verification } from '../../contract/tool/executor.ts'
import type { VerificationReport } from '../../contract/verification/verification.ts'
import { type Recheck, verificationDepth } from '../../contract/verification/verification-depth.ts'
import type { BoundVerification, VerificationBody } from '../../contract/verification/verifier.ts'
import { conclude, type Rechecked } from '../../execute/verification/conclude.ts'
import { type JudgedSource, readBack, type SourceFinding } from '../../execute/verification/read-back.ts'
import type { EpochMs } from '../../json/clock.ts'
import { cedarVersion } from '../../policy/cedar/cedar-voices.ts'
import { findLack } from '../../policy/demands.ts'
import type { Deps } from '../deps.ts'
import { payloadHash } from './question.ts'
import { runReader, secretsFor, toolContext, typedInput, verifierContext } from './tool-context.ts'

export interface EffectReading {
  readonly call: AdmittedCall
  readonly plan: BoundVerification
  readonly body: VerificationBody
  readonly reported: 'success' | 'failure'
  /** The number of readings, with this one. */
  readonly reads: number
  readonly next: EpochMs | undefined
  readonly deps: Deps
}

export interface EffectRead {
  readonly report: VerificationReport
  readonly findings: readonly SourceFinding[]
}

export async function readEffect(input: EffectReading): Promise<EffectRead> {
  const { call, plan, body, reported, deps } = input
  const { tool } = call
  const { state } = tool.binding
  const { contract } = tool
  const findings = await readBack({
    sources: plan.sources,
    prepared: body.sources,
    args: () => typedInput(call),
    // A verifier within the call sees the result whole; later only what may be kept is left of it.
    result: call.whole ?? body.result,
    before: body.before,
    reported,
    timeoutMs: contract.runtime.timeout_ms,
    context: verifierContext(call),
    compensable: contract.transactional.compensation_tool !== null,
    readState: state === undefined ? undefined : (args) => state.read(args, toolContext(call)),
    credentials: (signal) => secretsFor(plan.credentials, { call, signal, deps }),
    runReader: (executor: Executor, target, signal, credentials) =>
      runReader(executor, target, { call, signal, deps, own: plan.credentials && credentials }),
  })
  const rechecked = recheck(call, body, deps)
  const { target } = body
  const { reads, next } = input
  const report = conclude({ tool, findings, rechecked, target, reads, next })
  return { findings, report: { ...report, ...referencesOf(plan) } }
}

/** The references of the secrets that it was given. */
function referencesOf({ credentials }: BoundVerification): Pick<VerificationReport, 'credentials'> {
  const asked = Object.entries(credentials ?? {})
  return asked.length === 0 ? {} : { credentials: Object.fromEntries(asked.map(([name, { ref }]) => [name, ref])) }
}

/** Whether what ran is what was judged, and would still be allowed. */
function recheck(call: AdmittedCall, body: VerificationBody, deps: Deps): Rechecked {
  const { tool } = call
  const { rechecks } = verificationDepth[tool.contract.transactional.side_effect_class]
  const wants = (one: Recheck) => rechecks.includes(one)
  const isScoped = !wants('scope') || findLack(call, tool) === undefined
  return {
    payloadFits: isScoped && (!wants('parameters') || isSamePayload(call, body)),
    approvalFits: !wants('approval') || isStillApproved(call, body, deps),
  }
}

/** True where no approval was needed: there is nothing to compare with. */
function isSamePayload(call: AdmittedCall, { payloadHash: judged }: VerificationBody): boolean {
  return judged === undefined || judged === '' || payloadHash(call) === judged
}

/** Policies in Cedar are approved by the version of those that concern the tool; where they have another by now, a person has to look. */
function isStillApproved({ tool }: AdmittedCall, { approved }: VerificationBody, { cedar }: Deps): boolean {
  if (approved === undefined) return true
  const { executor } = tool.binding
  if ((executor.version ?? null) !== approved.executorVersion) return false
  const versions = new Set(cedar.map((policies) => cedarVersion(policies, tool)))
  return approved.policies.every((policy) => {
    const at = policy.lastIndexOf('@')
    return !policy.startsWith('cedar') || at === -1 || versions.has(policy.slice(at + 1))
  })
}

/** What the sources say in one word; undefined where any of them could not be read. */
export function wordOf({ findings, report }: EffectRead): Verification | undefined {
  const found = findings.filter((finding): finding is JudgedSource => finding.kind === 'found')
  if (found.length < findings.length || found.length === 0) return undefined
  if (report.state === 'VERIFIED') return { status: 'verified' }
  const { message } = report
  if (found.every(({ absent }) => absent)) return { status: 'absent', message }
  return { status: report.discrepancy === 'partial_application' ? 'partial' : 'failed', message }
}
