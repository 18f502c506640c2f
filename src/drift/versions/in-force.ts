// The decisions folded in order: which version of a tool is current, which is tried out, which was taken back, and which release is current.
// Pure: every process that has read the same decisions comes to the same.
import type { Release } from '../../contract/release/release.ts'
import type { Canary, VersionChange, VersionDecision } from '../../contract/release/version-decision.ts'

export interface ToolInForce {
  /** Undefined: as the options of each process say. */
  readonly current: string | undefined
  readonly canary: Canary | null | undefined
  /** What was current before, the newest last; null: as the options say. */
  readonly before: readonly (string | null)[]
  /** Versions that were rolled back and not promoted since: nothing gets them any more. */
  readonly withdrawn: ReadonlySet<string>
  readonly decided: VersionDecision
}

export interface ActiveRelease {
  readonly id: string
  /** Its tools as they were before it. */
  readonly earlier: ReadonlyMap<string, ToolInForce | undefined>
}

export interface InForce {
  readonly seq: number
  readonly tools: ReadonlyMap<string, ToolInForce>
  /** Every release that was ever promoted. */
  readonly releases: ReadonlyMap<string, Release>
  /** Promoted and not rolled back since, the newest last. */
  readonly activeReleases: readonly ActiveRelease[]
  readonly withdrawn: ReadonlySet<string>
}

export const nothingDecided: InForce = {
  seq: 0,
  tools: new Map(),
  releases: new Map(),
  activeReleases: [],
  withdrawn: new Set(),
}

export function withDecision(state: InForce, decision: VersionDecision): InForce {
  return { ...changed(state, decision.change, decision), seq: decision.seq }
}

function changed(state: InForce, change: VersionChange, decision: VersionDecision): InForce {
  switch (change.kind) {
    case 'promote':
      return withTool(state, change.tool, promoted(state.tools.get(change.tool), change, decision))
    case 'canary': {
      const { tool, canary } = change
      const { withdrawn, ...known } = state.tools.get(tool) ?? unknown(decision)
      const back = canary === null ? withdrawn : without(withdrawn, canary.version)
      return withTool(state, tool, { ...known, canary, withdrawn: back, decided: decision })
    }
    case 'rollback':
      return withTool(
        state,
        change.tool,
        rolledBack(state.tools.get(change.tool) ?? unknown(decision), change.canary, decision),
      )
    case 'promote_release':
      return withRelease(state, change.release, decision)
    case 'rollback_release':
      return withoutRelease(state, decision)
  }
}

function withRelease(state: InForce, release: Release, decision: VersionDecision): InForce {
  const tools = new Map(state.tools)
  const earlier = new Map<string, ToolInForce | undefined>()
  for (const [tool, { version }] of Object.entries(release.tools)) {
    earlier.set(tool, tools.get(tool))
    tools.set(tool, promoted(tools.get(tool), { version, from: null }, decision))
  }
  return {
    ...state,
    tools,
    releases: new Map(state.releases).set(release.id, release),
    activeReleases: [...state.activeReleases.filter(({ id }) => id !== release.id), { id: release.id, earlier }],
    withdrawn: without(state.withdrawn, release.id),
  }
}

/** All its tools are as they were before it, except those that a person promoted on their own since. */
function withoutRelease(state: InForce, decision: VersionDecision): InForce {
  const last = state.activeReleases.at(-1)
  const release = state.releases.get(last?.id ?? '')
  if (last === undefined || release === undefined) return state
  const tools = new Map(state.tools)
  for (const [tool, { version }] of Object.entries(release.tools)) {
    const now = tools.get(tool)
    if (now?.current !== version) continue
    const { current, before, withdrawn } = last.earlier.get(tool) ?? unknown(decision)
    tools.set(tool, {
      current,
      canary: null,
      before,
      withdrawn: current === version ? withdrawn : new Set([...now.withdrawn, version]),
      decided: decision,
    })
  }
  return {
    ...state,
    tools,
    activeReleases: state.activeReleases.slice(0, -1),
    withdrawn: new Set([...state.withdrawn, last.id]),
  }
}

const unknown = (decided: VersionDecision): ToolInForce => ({
  current: undefined,
  canary: undefined,
  before: [],
  withdrawn: new Set(),
  decided,
})

function promoted(
  known: ToolInForce | undefined,
  { version, from }: { readonly version: string; readonly from: string | null },
  decided: VersionDecision,
): ToolInForce {
  const { current, canary, before, withdrawn } = known ?? unknown(decided)
  const isSame = current === version
  return {
    current: version,
    // A canary that became current is over; another one goes on.
    canary: canary?.version === version ? null : canary,
    before: isSame ? before : [...before, current ?? from],
    withdrawn: without(withdrawn, version),
    decided,
  }
}

/** Ends the canary where there is one; otherwise what was current before is current again. */
function rolledBack(known: ToolInForce, tried: string | null, decided: VersionDecision): ToolInForce {
  const { current, before, withdrawn } = known
  if (tried !== null) return { ...known, canary: null, withdrawn: new Set([...withdrawn, tried]), decided }
  return {
    current: before.at(-1) ?? undefined,
    canary: null,
    before: before.slice(0, -1),
    withdrawn: current === undefined ? withdrawn : new Set([...withdrawn, current]),
    decided,
  }
}

function withTool(state: InForce, tool: string, found: ToolInForce): InForce {
  return { ...state, tools: new Map(state.tools).set(tool, found) }
}

function without(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  return set.has(item) ? new Set([...set].filter((other) => other !== item)) : set
}
