// Whether rules allow it: the class table's defaults, the labels of the run, the organisation's policies in Cedar, those of the host in
// code, and hooks, all under one precedence. Every voice is evidence; the decision is made of nothing else.
import type { HookOutput } from '../../contract/call/hook.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import { within } from '../../execute/within.ts'
import { ownCopy } from '../../json/copy.ts'
import { budgetVoices } from '../../policy/budgets/claims.ts'
import { cedarVoices } from '../../policy/cedar/cedar-voices.ts'
import { classVoices } from '../../policy/demands.ts'
import { labelVoices } from '../../policy/labels.ts'
import { asksOf, judgeVoices, type Voice, voiceName } from '../../policy/voices.ts'
import { askHooks, gainedFrom, isHooked, outputsOf, shownOutputs } from '../call/run-hooks.ts'
import { labelsOf } from '../call/run-labels.ts'
import type { Deps, PolicySubject } from '../deps.ts'
import { type Gate, type Gives, pass, passWith, stop } from '../phase.ts'

interface Evidence {
  /** What the run carried. */
  readonly labels: readonly string[]
  readonly voices: readonly Voice[]
  /** What hooks answered about the request and the decision. */
  readonly outputs?: readonly HookOutput[]
}

const silent: Evidence = { labels: [], voices: [] }

export const policy: Gate<JudgedCall, Gives<JudgedCall, never, 'hookOutputs' | 'warnings' | 'asks'>, Evidence> = {
  name: 'policy',
  does: 'Defaults of the effect class, labels of the run, policies in Cedar and in code, hooks; any deny wins, then the first ask.',
  stopsWith: [{ class: 'POLICY_VIOLATION', reasons: ['policy_blocked', 'hook_blocked'] }],
  gather(call, deps) {
    const { tool } = call
    const carried = labelsOf(call, deps)
    if (carried instanceof Promise || deps.policies.length + deps.cedar.length + deps.hooks.length > 0)
      return hearVoices(call, carried, deps)
    const own = [...classVoices(tool), ...budgetVoices(call, tool, deps.budgets)]
    if (own.length === 0 && carried.length === 0) return silent
    return { labels: carried, voices: [...own, ...labelVoices(tool, carried)] }
  },
  decide(call, { voices, outputs = [] }) {
    const gives = gainedFrom(call, outputs)
    const { says, by } = judgeVoices(voices)
    if (says === 'deny' && by !== undefined) {
      const reason = by.source.startsWith(hookSource) ? 'hook_blocked' : 'policy_blocked'
      return stop('POLICY_VIOLATION', reason, `${by.message} (policy ${voiceName(by)})`, { gives })
    }
    const asks = [...(call.asks ?? []), ...asksOf(voices)]
    if (asks.length === 0 && outputs.length === 0) return pass
    return passWith({ ...gives, asks })
  },
  keep: (evidence) =>
    evidence.outputs === undefined ? evidence : { ...evidence, outputs: shownOutputs(evidence.outputs, []) },
}

const hookSource = 'hook/'

async function hearVoices(
  call: JudgedCall,
  carried: readonly string[] | Promise<readonly string[]>,
  deps: Deps,
): Promise<Evidence> {
  const { tool } = call
  const labels = await carried
  const voices = [
    ...classVoices(tool),
    ...budgetVoices(call, tool, deps.budgets),
    ...labelVoices(tool, labels),
    ...organisationVoices(call, labels, deps),
    ...(await hostVoices(call, labels, deps)),
    ...outputsOf(call, 'pre_tool_use').flatMap(voicesOfHook),
  ]
  const asks = [...(call.asks ?? []), ...asksOf(voices)]
  const outputs: HookOutput[] = []
  if (asks.length > 0 && judgeVoices(voices).says !== 'deny' && isHooked(deps.hooks, 'permission_request')) {
    const event = { asks: asks.map(({ source, message }) => ({ source, message })) }
    outputs.push(...(await askHooks(call, 'permission_request', event, deps)))
    voices.push(...outputs.flatMap(voicesOfHook))
  }
  if (isHooked(deps.hooks, 'permission_decision')) {
    const { says, by } = judgeVoices(voices)
    const asker = says === 'allow' ? asks[0]?.source : undefined
    const event =
      asker === undefined ? { says, by: by === undefined ? undefined : voiceName(by) } : { says: 'ask', by: asker }
    const decided = await askHooks(call, 'permission_decision', event, deps)
    outputs.push(...decided)
    voices.push(...decided.flatMap(voicesOfHook))
  }
  return { labels, voices, ...(outputs.length === 0 ? {} : { outputs }) }
}

/** A hook that fails refuses, and so does one that stops; an allow is heard like any other voice. */
function voicesOfHook({ hook, failed, stop: words, permissionResult }: HookOutput): readonly Voice[] {
  const source = `${hookSource}${hook}`
  if (failed === true) return [{ source, says: 'deny', message: 'The hook failed, so the call is refused.' }]
  return [
    ...(words === undefined ? [] : [{ source, says: 'deny' as const, message: words || 'No reason was given.' }]),
    ...(permissionResult === undefined ? [] : [{ source, ...permissionResult }]),
  ]
}

function organisationVoices(call: JudgedCall, labels: readonly string[], deps: Deps): readonly Voice[] {
  const { tool, tenant, principal, run, workflow } = call
  return deps.cedar.flatMap((policies) =>
    cedarVoices(policies, tool, {
      arguments: call.permissionInput,
      tenant,
      principal,
      run,
      workflow,
      labels,
      now: deps.clock.now(),
    }),
  )
}

async function hostVoices(call: JudgedCall, labels: readonly string[], { policies }: Deps): Promise<readonly Voice[]> {
  const { tool } = call
  const voices: Voice[] = []
  if (policies.length === 0) return voices
  const subject: PolicySubject = {
    tool: tool.contract,
    arguments: ownCopy(call.permissionInput),
    tenant: call.tenant,
    principal: call.principal,
    run: call.run,
    labels,
  }
  for (const policyOfHost of policies) {
    try {
      const voice = await within(tool.contract.runtime.timeout_ms, policyOfHost.judge(subject))
      if (voice !== undefined) voices.push({ ...voice, source: policyOfHost.id })
    } catch {
      // A policy that cannot judge denies.
      voices.push({ source: policyOfHost.id, says: 'deny', message: 'This policy could not be judged.' })
    }
  }
  return voices
}
