// What goes wrong with files, in words of our own: messages of the operating system name paths that a model must not learn.
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutorClass } from '../../../contract/taxonomy.ts'

const rows = {
  not_found: ['SEMANTIC_INVALIDITY', 'There is no such file.'],
  exists: ['SEMANTIC_INVALIDITY', 'There is something of this name already.'],
  changed: ['STALE_STATE', 'The file is not the version that was named; read it again.'],
  not_regular: ['POLICY_VIOLATION', 'Only plain files are touched; this is something else.'],
  not_a_folder: ['SEMANTIC_INVALIDITY', 'A part of the path is no folder.'],
  symbolic_link: ['POLICY_VIOLATION', 'A part of the path is a symbolic link; none is followed.'],
  hard_link: ['POLICY_VIOLATION', 'The file has a second name, perhaps outside of the root; it is not read.'],
  path_refused: ['POLICY_VIOLATION', 'The path is refused.'],
  too_large: ['OUT_OF_BOUNDS', 'The file is larger than this tool may handle.'],
  not_text: ['SEMANTIC_INVALIDITY', 'The file is not text in UTF-8.'],
  bad_content: ['SEMANTIC_INVALIDITY', 'The content is not what the encoding says.'],
  denied: ['PERMISSION_DENIED', 'The operating system does not allow it.'],
  no_space: ['DEPENDENCY_UNAVAILABLE', 'There is no room left where the file would be.'],
  other_device: ['DEPENDENCY_UNAVAILABLE', 'The place lies on another file system than the root.'],
  root_missing: ['DEPENDENCY_UNAVAILABLE', 'The root of this tool is not there.'],
  not_lockable: [
    'DEPENDENCY_UNAVAILABLE',
    'The folder cannot be locked against other processes, so nothing was changed.',
  ],
  io_failed: ['DEPENDENCY_UNAVAILABLE', 'The file system failed.'],
} as const satisfies Record<string, readonly [ExecutorClass, string]>

export type FileFailure = keyof typeof rows

/** A failure before anything was changed, unless said otherwise. */
export function fileError(code: FileFailure, effect: 'none' | 'unknown' = 'none', message?: string): ToolError {
  const [taxonomyClass, text] = rows[code]
  return new ToolError(code, message ?? text, { effect, class: taxonomyClass })
}

const byErrno: ReadonlyMap<string, FileFailure> = new Map([
  ['ENOENT', 'not_found'],
  ['EEXIST', 'exists'],
  ['ENOTDIR', 'not_a_folder'],
  ['EISDIR', 'not_regular'],
  ['ENXIO', 'not_regular'],
  ['ELOOP', 'symbolic_link'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['EROFS', 'denied'],
  ['ENOSPC', 'no_space'],
  ['EDQUOT', 'no_space'],
  ['EFBIG', 'too_large'],
  ['EXDEV', 'other_device'],
])

/** The same failure in our words. */
export function asFileError(error: unknown, effect: 'none' | 'unknown'): ToolError {
  if (error instanceof ToolError) return error
  return fileError(byErrno.get(errnoOf(error) ?? '') ?? 'io_failed', effect)
}

export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Of an attempt to make something: it is there already. */
export function unlessThere(error: unknown): void {
  if (errnoOf(error) !== 'EEXIST') throw error
}

/** Of a look at a place: nothing is there. A look that failed in another way says nothing about what is there, and fails. */
export function nothingThere(error: unknown): undefined {
  const code = errnoOf(error)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
  return undefined
}
