// The surface: which tools one run may see, and why the others not. A snapshot; nothing widens it but a recorded discovery.
import type { Tool } from './tool.ts'

export type SurfaceReason =
  | 'policy_blocked'
  | 'contract_sunsetted'
  | 'release_mismatch'
  | 'role_not_allowed'
  | 'quarantined'
  | 'deferred_until_discovered'

/** How a run came by the version it gets. Absent where a tool has one version only. */
export interface Route {
  /** `run`: what the run began with, though it is no longer current. `pinned`: the contract that a waiting call was judged by. */
  readonly reason: 'current' | 'canary' | 'run' | 'pinned' | 'release'
  readonly release?: string
  /** Why the run no longer gets the version it began with. */
  readonly moved?: string
  /** Why the tool does not belong to the release. */
  readonly mismatch?: string
}

export type SurfaceEntry =
  | {
      readonly status: 'loaded'
      readonly tool: Tool
      readonly deprecated: string | undefined
      readonly route?: Route | undefined
    }
  | {
      readonly status: 'deferred' | 'blocked' | 'excluded'
      readonly tool: Tool
      readonly reason: SurfaceReason
      readonly note: string
      readonly route?: Route | undefined
    }

export interface Surface {
  /** By name. A Map, because names come from models. */
  readonly entries: ReadonlyMap<string, SurfaceEntry>
  readonly aliases: ReadonlyMap<string, string>
}
