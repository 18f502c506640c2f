// The options of a file tool, and the settings made of them. One tool does one thing, to one path below one root.
import { isAbsolute } from 'node:path'
import { Fault } from '../../../contract/fault.ts'
import {
  type FileOperation,
  fileOperations,
  type WriteMode,
  writeModes,
} from '../../../contract/tool/executor-files/file-file.ts'
import { isPointer } from '../../../json/pointer.ts'
import { readRelativePath } from './relative-path.ts'

export interface FileOptions {
  /** Absolute path of the folder that nothing leads out of. */
  readonly root: string
  readonly operation: FileOperation
  /** How `write` treats what is there; `create` by default. */
  readonly mode?: WriteMode | undefined
  /** Pointer of the argument that names the file: /path by default. Of `restore`: where it goes instead, if the argument is given. */
  readonly path?: string | undefined
  /** Of `write` and `append`: /content by default. */
  readonly content?: string | undefined
  /** Of `move`: the argument that names the new place, /to by default. */
  readonly to?: string | undefined
  /** Of `restore`: the argument that names what was deleted, /trash_id by default. */
  readonly id?: string | undefined
  /** The argument that holds the SHA-256 of the version meant, as `read` gave it; another version is refused as stale. */
  readonly expect?: string | undefined
  /** How content travels: utf8 by default. */
  readonly encoding?: 'utf8' | 'base64' | undefined
  /** The largest file that is read or written: 1 MiB by default. */
  readonly maxBytes?: number | undefined
  /** How many entries `list` gives: 1,000 by default. */
  readonly maxEntries?: number | undefined
  /** Whether missing folders are made on the way to a new file. */
  readonly createFolders?: boolean | undefined
  /** Every tenant has a folder of its own in the root and sees no other. */
  readonly tenantFolders?: boolean | undefined
  /** Name of the folder in the root that keeps what was deleted or replaced: .trash by default. */
  readonly trash?: string | undefined
  /** Which version of this declaration it is; an approval is given for one. */
  readonly version?: string | undefined
}

type Filled = Exclude<keyof FileOptions, 'expect' | 'version'>

export type FileSettings = { readonly [Key in Filled]-?: Exclude<FileOptions[Key], undefined> } & {
  readonly expect: string | undefined
}

/** Throws a Fault where the options contradict each other. */
export function fileSettings(options: FileOptions): FileSettings {
  const settings: FileSettings = {
    root: options.root,
    operation: options.operation,
    mode: options.mode ?? 'create',
    path: options.path ?? '/path',
    content: options.content ?? '/content',
    to: options.to ?? '/to',
    id: options.id ?? '/trash_id',
    expect: options.expect,
    encoding: options.encoding ?? 'utf8',
    maxBytes: options.maxBytes ?? 1024 * 1024,
    maxEntries: options.maxEntries ?? 1_000,
    createFolders: options.createFolders ?? false,
    tenantFolders: options.tenantFolders ?? false,
    trash: options.trash ?? '.trash',
  }
  const problem = problemOf(settings)
  if (problem !== undefined) throw new Fault('bad_options', `file: ${problem}`)
  return settings
}

function problemOf(settings: FileSettings): string | undefined {
  const { root, operation, mode, path, content, to, id, expect, maxBytes, maxEntries, trash } = settings
  if (!isAbsolute(root)) return 'root is an absolute path.'
  if (!fileOperations.includes(operation)) return `operation is one of ${fileOperations.join(', ')}.`
  if (!writeModes.includes(mode)) return `mode is one of ${writeModes.join(', ')}.`
  if (operation === 'write' && mode === 'replace' && expect === undefined)
    return 'mode replace needs expect, the argument that names the version to be replaced.'
  if ([path, content, to, id, ...(expect === undefined ? [] : [expect])].some((it) => it === '' || !isPointer(it)))
    return 'path, content, to, id and expect are JSON Pointers such as /path.'
  if (![maxBytes, maxEntries].every((count) => Number.isSafeInteger(count) && count > 0 && count <= 2 ** 30))
    return 'maxBytes and maxEntries are whole numbers from 1 to 1073741824.'
  const name = readRelativePath(trash, {})
  return name.ok && name.parts.length === 1 ? undefined : 'trash is the name of one folder.'
}
