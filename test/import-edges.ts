// Derives from the source which room imports which. Type imports count: a type is knowledge of another room as much as a function is.
import { posix } from 'node:path'
import { roomOf } from './rooms.ts'
import type { SourceFile } from './source-files.ts'

export interface ImportEdge {
  readonly from: string
  readonly to: string
  /** `file → imported file`, for the message of a failing test. */
  readonly where: string
}

const statement = /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"](\.[^'"]+)['"]/gm
const bare = /^\s*import\s*['"](\.[^'"]+)['"]/gm
const called = /\b(?:import|require)\(\s*['"](\.[^'"]+)['"]\s*\)/g

/** The files that one file imports, as paths from the root of the project. */
function importsOf({ path, text }: SourceFile): readonly string[] {
  return [statement, bare, called]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map((match) => posix.join(posix.dirname(path), match[1] ?? ''))
}

export interface FileImport {
  readonly from: string
  readonly to: string
}

/** Which file imports which. */
export const fileImports = (files: readonly SourceFile[]): readonly FileImport[] =>
  files.flatMap((file) => importsOf(file).map((to) => ({ from: file.path, to })))

/** Edges between different rooms. */
export function importEdges(files: readonly SourceFile[]): readonly ImportEdge[] {
  return files.flatMap((file) => {
    const from = roomOf(file.path)
    if (from === undefined) return []
    return importsOf(file).flatMap((target): readonly ImportEdge[] => {
      const to = roomOf(target) ?? posix.dirname(target)
      return to === from ? [] : [{ from, to, where: `${file.path} → ${target}` }]
    })
  })
}

/** One cycle among the edges, as the rooms along it, or undefined. */
export function findCycle(edges: readonly ImportEdge[]): readonly string[] | undefined {
  const next = Map.groupBy(edges, (edge) => edge.from)
  const done = new Set<string>()
  const walk = (room: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(room)) return [...path.slice(path.indexOf(room)), room]
    if (done.has(room)) return undefined
    for (const { to } of next.get(room) ?? []) {
      const cycle = walk(to, [...path, room])
      if (cycle !== undefined) return cycle
    }
    done.add(room)
    return undefined
  }
  return [...next.keys()].map((room) => walk(room, [])).find((cycle) => cycle !== undefined)
}
