// Puts together what one process needs of versions: its tools by version, what is in force, and who gets which.
import type { Release } from '../../contract/release/release.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { readRelease } from '../release/manifest.ts'
import { createReleases, type Releases, refuseMix } from '../release/release-desk.ts'
import { type Catalog, createCatalog, isPrerelease } from './catalog.ts'
import { type Chooser, createChooser } from './choose.ts'
import type { VersionChoice } from './route.ts'
import { createVersionDesk, readChoices, type VersionDesk } from './version-desk.ts'
import { createVersionWatch, type WatchInput } from './version-watch.ts'

export interface OpenVersionsInput extends WatchInput {
  readonly ledger: Ledger
  readonly tools: readonly Tool[]
  readonly choices: Readonly<Record<string, VersionChoice>> | undefined
  readonly release: Release | undefined
}

export interface OpenVersions {
  readonly catalog: Catalog
  readonly chooser: Chooser
  readonly desk: VersionDesk
  readonly releases: Releases
  /** As registered and chosen here, without later decisions: the same for as long as this process lives. */
  registered(tool: string): Tool | undefined
}

/** Throws the Fault that says what of tools, choices and release does not go together. */
export async function openVersions(input: OpenVersionsInput): Promise<OpenVersions> {
  const { ledger, clock, tools } = input
  const catalog = createCatalog(tools)
  const choices = readChoices(input.choices ?? {}, catalog)
  const release = input.release === undefined ? undefined : readRelease(input.release)
  if (release !== undefined) refuseMix(release, catalog)
  const watch = createVersionWatch(input)
  // What was decided before this process began holds from its first call on.
  if (catalog.chooses || release !== undefined) await watch.history()
  const chooser = createChooser({ watch, store: ledger.versions, clock, choices, release })
  return {
    catalog,
    chooser,
    desk: createVersionDesk({ catalog, watch, chooser, clock, ledger }),
    releases: createReleases(watch, catalog),
    registered(tool) {
      const family = catalog.families.get(tool)
      const chosen = family?.byVersion.get(choices.get(tool)?.current ?? '')
      return chosen ?? family?.tools.findLast((version) => !isPrerelease(version)) ?? family?.tools.at(-1)
    },
  }
}
