// The surface: which tools one run may see, and why the others not. A snapshot; nothing widens it but a recorded discovery.
import type { Tool } from './tool.ts'

export type SurfaceReason = 'policy_blocked' | 'contract_sunsetted' | 'role_not_allowed' | 'deferred_until_discovered'

export type SurfaceEntry =
  | { readonly status: 'loaded'; readonly tool: Tool; readonly deprecated: string | undefined }
  | {
      readonly status: 'deferred' | 'blocked' | 'excluded'
      readonly tool: Tool
      readonly reason: SurfaceReason
      readonly note: string
    }

export interface Surface {
  /** By name. A Map, because names come from models. */
  readonly entries: ReadonlyMap<string, SurfaceEntry>
  readonly aliases: ReadonlyMap<string, string>
}
