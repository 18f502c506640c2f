// What a person wants decided, from what was typed; whatever can be seen to be wrong is said before a ledger is opened.
import { resolve } from 'node:path'
import { Fault } from '../../contract/fault.ts'
import type { VersionChange } from '../../contract/release/version-decision.ts'
import { readRelease } from '../../drift/release/manifest.ts'
import { releaseChange, releaseRollback } from '../../drift/release/release-desk.ts'
import { canaryChange, promoteChange, rollbackChange } from '../../drift/versions/changes.ts'
import type { InForce } from '../../drift/versions/in-force.ts'
import { readDocument } from '../../runtime/read-document.ts'
import { flag, type Given, text, texts } from '../command.ts'
import type { Terminal } from '../terminal.ts'

export type Order =
  | { readonly ok: true; readonly make: (state: InForce) => VersionChange }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[] }

export async function readOrder(
  action: 'promote' | 'canary' | 'rollback' | 'release',
  given: Given,
  terminal: Pick<Terminal, 'folder'>,
): Promise<Order> {
  const [, tool, version, ...more] = given.words
  if (more.length > 0) return wrong(`proviso versions ${action} takes one tool and one version at most.`)
  switch (action) {
    case 'promote':
      if (tool === undefined || version === undefined)
        return wrong('Say which tool and which version: proviso versions promote TOOL VERSION.')
      return { ok: true, make: (state) => promoteChange(state, tool, version, undefined) }
    case 'canary':
      return canaryOrder(tool, version, given)
    case 'rollback': {
      if (flag(given, 'release')) return tool === undefined ? { ok: true, make: releaseRollback } : wrong(oneOfBoth)
      if (tool === undefined || version !== undefined)
        return wrong('Say which tool: proviso versions rollback TOOL. What was current before is current again.')
      return { ok: true, make: (state) => rollbackChange(state, tool, undefined) }
    }
    case 'release':
      if (tool === undefined || version !== undefined) return wrong('Say which file: proviso versions release FILE.')
      return releaseOrder(resolve(terminal.folder, tool))
  }
}

function canaryOrder(tool: string | undefined, version: string | undefined, given: Given): Order {
  if (tool === undefined) return wrong('Say which tool: proviso versions canary TOOL VERSION --share PART.')
  if (flag(given, 'end'))
    return version === undefined
      ? { ok: true, make: () => canaryChange(tool, null, undefined) }
      : wrong('--end takes no version.')
  const typed = text(given, 'share')
  const share = shareOf(typed)
  if (typed !== undefined && share === undefined)
    return wrong(
      `--share says which part of the runs get it, from 0 to 1, and ${JSON.stringify(typed.slice(0, 32))} does not.`,
    )
  if (version === undefined || share === undefined)
    return wrong('Say which version, and which part of the runs: proviso versions canary TOOL VERSION --share 0.1.')
  const tenants = texts(given, 'tenants')
  const canary = { version, share, ...(tenants.length === 0 ? {} : { tenants }) }
  return { ok: true, make: () => canaryChange(tool, canary, undefined) }
}

/** Only what is written as a number is one: an empty text would be read as 0. */
function shareOf(typed: string | undefined): number | undefined {
  if (typed === undefined || !/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e-?[0-9]+)?$/i.test(typed.trim())) return undefined
  const share = Number(typed)
  return share <= 1 ? share : undefined
}

async function releaseOrder(file: string): Promise<Order> {
  const document = await readDocument(file)
  if (!document.ok) return wrong(`${file} cannot be read.`, ...document.problems.map(({ message }) => message))
  try {
    const release = readRelease(document.value)
    return { ok: true, make: (state) => releaseChange(state, release) }
  } catch (error) {
    if (error instanceof Fault) return wrong(error.message, ...error.details)
    throw error
  }
}

const oneOfBoth = 'Either one tool is rolled back, or the last release.'

const wrong = (message: string, ...details: readonly string[]): Order => ({ ok: false, message, details })
