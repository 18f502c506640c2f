// Releases as a host uses them: promoted whole, rolled back whole. A release is only promoted by a process that has everything it names.
import { Fault } from '../../contract/fault.ts'
import type { Release } from '../../contract/release/release.ts'
import type { Catalog } from '../versions/catalog.ts'
import type { InForce } from '../versions/in-force.ts'
import type { DecisionNote, VersionWatch } from '../versions/version-watch.ts'
import { readRelease } from './manifest.ts'
import { releaseMisfit, wrapperMisfit } from './release-misfit.ts'

export interface Releases {
  /** The one that was promoted last and not rolled back since. */
  current(): Promise<Release | undefined>
  /** Makes every version that it names current, at once. Runs under way keep theirs. */
  promote(release: Release, said: DecisionNote): Promise<Release>
  /** Takes the last one back: all its tools stand as they stood before it, and calls that name it are refused. Gives the one before. */
  rollback(said: DecisionNote): Promise<Release | undefined>
}

export function createReleases(watch: VersionWatch, catalog: Catalog): Releases {
  return {
    current: async () => currentRelease(await watch.fresh()),
    async promote(given, said) {
      const release = readRelease(given)
      refuseMix(release, catalog)
      await watch.decide(said, (state) => releaseChange(state, release))
      return release
    },
    rollback: async (said) => currentRelease(await watch.decide(said, releaseRollback)),
  }
}

const currentRelease = (state: InForce): Release | undefined =>
  state.releases.get(state.activeReleases.at(-1)?.id ?? '')

export function releaseChange(state: InForce, release: Release) {
  if (state.activeReleases.at(-1)?.id === release.id)
    throw new Fault('bad_options', `Release ${release.id.slice(0, 12)} is in force already.`)
  return { kind: 'promote_release', release } as const
}

export function releaseRollback(state: InForce) {
  if (state.activeReleases.length === 0)
    throw new Fault('bad_options', 'No release was promoted: there is none to roll back.')
  return { kind: 'rollback_release' } as const
}

/** Throws the Fault that names everything in which a release and this process differ. */
export function refuseMix(release: Release, catalog: Catalog): void {
  const problems = Object.entries(release.tools).flatMap(([name, { version }]): readonly string[] => {
    const family = catalog.families.get(name)
    const tool = family?.byVersion.get(version) ?? family?.tools.at(-1)
    if (tool === undefined) return [`${name} is not registered here.`]
    const misfit = releaseMisfit({ id: release.id, release, isWithdrawn: false, claim: undefined, tool })
    return misfit === undefined || misfit === wrapperMisfit(release) ? [] : [misfit]
  })
  const own = wrapperMisfit(release)
  const all = own === undefined ? problems : [own, ...problems]
  if (all.length > 0) throw new Fault('bad_options', `This release does not fit. ${all.join(' ')}`, { details: all })
}
