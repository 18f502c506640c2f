// `proviso versions promote | canary | rollback | release`: a person decides about versions. What can be seen to be wrong in what was typed is
// said before a ledger is opened. Nothing is called here: processes that have the tools read it within a second.
import { resolve } from 'node:path'
import { Fault } from '../../contract/fault.ts'
import type { VersionChange, VersionDecision } from '../../contract/release/version-decision.ts'
import { readRelease } from '../../drift/release/manifest.ts'
import { releaseChange, releaseRollback } from '../../drift/release/release-desk.ts'
import { canaryChange, promoteChange, rollbackChange } from '../../drift/versions/changes.ts'
import type { InForce } from '../../drift/versions/in-force.ts'
import { checkVersionDecider, createVersionWatch, refreshMs } from '../../drift/versions/version-watch.ts'
import { systemClock, toIso } from '../../json/clock.ts'
import { systemEntropy } from '../../json/id.ts'
import type { JsonObject } from '../../json/value.ts'
import { readDocument } from '../../runtime/read-document.ts'
import { available, type CommandIo, type CommandResult, missing, misuse, type Needed } from '../command.ts'
import { printRefusal, withPerson } from '../people.ts'
import { lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'

type DecisionAction = 'promote' | 'canary' | 'rollback' | 'release'

export async function decideVersion(action: DecisionAction, io: CommandIo): Promise<CommandResult> {
  const why = io.option('why')?.trim() ?? ''
  if (why === '') return misuse('Say why: --why TEXT. It is recorded.')
  if (action !== 'rollback' && io.flag('release')) return misuse('--release belongs to proviso versions rollback.')
  const order = await readOrder(action, io)
  if (!order.ok) return order.result
  return withPerson(io, async ({ credential, people, ledger }) => {
    const person = await people.verify(credential)
    checkVersionDecider(person)
    const { user: by } = person
    const watch = createVersionWatch({ ledger, clock: systemClock, entropy: systemEntropy, report: () => undefined })
    try {
      await watch.decide({ by, why }, order.value)
    } catch (error) {
      if (error instanceof Fault && error.code === 'bad_options') return printRefusal(error, io)
      throw error
    }
    const decision = (await watch.history()).findLast((one) => one.by === by && one.why === why)
    if (decision === undefined) throw new Fault('internal', 'A decision that was written is not there.')
    const { bold, dim } = io.colours
    return printResult(io, wireDecision(decision), [
      `${bold('Decided:')} ${lineText(changeText(decision.change))}`,
      dim(`Recorded as said by ${lineText(by)}: ${lineText(why)}`),
      dim(`It holds in every process on this ledger ${refreshMs / 1_000} second later.`),
    ])
  })
}

/** A change, made from what is in force when it is written. */
type VersionOrder = (state: InForce) => VersionChange

async function readOrder(action: DecisionAction, io: CommandIo): Promise<Needed<VersionOrder>> {
  const [tool, version] = io.words
  switch (action) {
    case 'promote':
      return available((state) => promoteChange(state, tool ?? '', version ?? '', undefined))
    case 'canary':
      return canaryOrder(tool ?? '', version, io)
    case 'rollback':
      if (io.flag('release'))
        return tool === undefined
          ? available(releaseRollback)
          : missing('Either one tool is rolled back, or the last release.')
      return tool === undefined
        ? missing('Say which tool: proviso versions rollback TOOL. What was current before is current again.')
        : available((state) => rollbackChange(state, tool, undefined))
    case 'release':
      return releaseOrder(resolve(io.folder, tool ?? ''))
  }
}

function canaryOrder(tool: string, version: string | undefined, io: CommandIo): Needed<VersionOrder> {
  if (io.flag('end'))
    return version === undefined
      ? available(() => canaryChange(tool, null, undefined))
      : missing('--end takes no version.')
  const typed = io.option('share')
  const share = shareOf(typed)
  if (typed !== undefined && share === undefined)
    return missing(
      `--share says which part of the runs get it, from 0 to 1, and ${JSON.stringify(typed.slice(0, 32))} does not.`,
    )
  if (version === undefined || share === undefined)
    return missing('Say which version, and which part of the runs: proviso versions canary TOOL VERSION --share 0.1.')
  const tenants = io.optionList('tenants')
  const canary = { version, share, ...(tenants.length === 0 ? {} : { tenants }) }
  return available(() => canaryChange(tool, canary, undefined))
}

/** Only a text that is written as a number counts: Number would read an empty one as 0. */
function shareOf(typed: string | undefined): number | undefined {
  if (typed === undefined || !/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e-?[0-9]+)?$/i.test(typed.trim())) return undefined
  const share = Number(typed)
  return share <= 1 ? share : undefined
}

async function releaseOrder(file: string): Promise<Needed<VersionOrder>> {
  const document = await readDocument(file)
  if (!document.ok)
    return missing(
      `${file} cannot be read.`,
      document.problems.map(({ message }) => message),
    )
  try {
    const release = readRelease(document.value)
    return available((state) => releaseChange(state, release))
  } catch (error) {
    if (error instanceof Fault) return missing(error.message, error.details)
    throw error
  }
}

/** A change in words; not escaped. */
export function changeText(change: VersionChange): string {
  switch (change.kind) {
    case 'promote':
      return `${change.tool} ${change.version} is current${change.from === null ? '' : `, after ${change.from}`}`
    case 'canary': {
      const { tool, canary } = change
      if (canary === null) return `the canary of ${tool} is ended`
      const whose = canary.tenants === undefined ? '' : ` of ${canary.tenants.join(', ')}`
      return `${tool} ${canary.version} is tried out by ${percentText(canary.share)} of the runs${whose}`
    }
    case 'rollback':
      return change.canary === null
        ? `${change.tool} is rolled back`
        : `the canary ${change.tool} ${change.canary} is rolled back`
    case 'promote_release':
      return `release ${change.release.id.slice(0, 12)} for ${change.release.model} is in force`
    case 'rollback_release':
      return 'the last release is rolled back'
  }
}

export const percentText = (share: number) => `${Number((share * 100).toFixed(3))} %`

export const wireDecision = ({ seq, at, by, why, change }: VersionDecision): JsonObject => ({
  seq,
  at: toIso(at),
  by,
  why,
  change: change as unknown as JsonObject,
})
