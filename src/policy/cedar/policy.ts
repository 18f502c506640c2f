// A policy of an organisation as it was loaded, and what its annotations make of it: @id, @message, and on a forbid @ask, with @roles and
// @quorum. Other annotations are the writer's own.
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import type { ApprovalPattern } from '../../contract/effects.ts'
import type { Engine } from './engine.ts'
import type { Mentions } from './mentions.ts'

export interface Policy {
  readonly id: string
  /** Its rank among all that were loaded. */
  readonly order: number
  readonly effect: 'permit' | 'forbid'
  readonly text: string
  readonly place: PolicyPlace
  readonly message: string | undefined
  /** Given: what the policy forbids becomes possible once people have approved. */
  readonly ask: AskAnnotation | undefined
  readonly form: PolicyJson
  readonly mentions: Mentions
}

/** Where a policy begins. */
export interface PolicyPlace {
  readonly source: string
  readonly line: number
  readonly column: number
}

export interface AskAnnotation {
  /** Undefined: the one of the tool. */
  readonly pattern: ApprovalPattern | undefined
  readonly roles: readonly string[]
  readonly quorum: number | undefined
}

export interface Policies {
  readonly policies: readonly Policy[]
  /** What a call gets that no policy speaks about. */
  readonly unlessPermitted: 'passthrough' | 'deny'
  /** SHA-256 over the policies in their order, as the engine understands them; comments and layout do not count. */
  readonly version: string
  readonly engine: Engine
}

export interface PolicyProblem {
  readonly level: 'error' | 'warning'
  /** Undefined where the text could not be taken apart into policies. */
  readonly policy: string | undefined
  readonly source: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Lines and columns count from one, as people count. The engine counts UTF-8 bytes. */
export function placeAt(source: string, text: string, index: number): PolicyPlace {
  const before = text.slice(0, index)
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++
  return { source, line, column: index - before.lastIndexOf('\n') }
}

export function placeAtByte(source: string, text: string, bytes: number): PolicyPlace {
  return placeAt(source, text, Buffer.from(text).subarray(0, bytes).toString().length)
}

/** A place within a part of a text, seen from the whole. */
export function placeWithin(start: PolicyPlace, part: string, bytes: number): PolicyPlace {
  const { line, column } = placeAtByte(start.source, part, bytes)
  const { source } = start
  return { source, line: start.line + line - 1, column: line === 1 ? start.column + column - 1 : column }
}
