// The file executor as a tool file declares it.
import type { JsonObject } from '../../../json/value.ts'
import { choice, closed, count, flag, text } from '../../closed-schema.ts'

export const fileOperations = ['read', 'list', 'write', 'append', 'delete', 'move', 'restore'] as const
export type FileOperation = (typeof fileOperations)[number]

/** `create`: there is no such file yet. `replace`: exactly the version that the argument `expect` names. `put`: either way. */
export const writeModes = ['create', 'replace', 'put'] as const
export type WriteMode = (typeof writeModes)[number]

export interface FileFile {
  readonly kind: 'file'
  readonly root: string
  readonly operation: FileOperation
  readonly mode?: WriteMode
  readonly path?: string
  readonly content?: string
  readonly to?: string
  readonly id?: string
  readonly expect?: string
  readonly encoding?: 'utf8' | 'base64'
  readonly max_bytes?: number
  readonly max_entries?: number
  readonly create_folders?: boolean
  readonly tenant_folders?: boolean
  readonly trash?: string
  readonly version?: string
}

const pointer = (description: string): JsonObject => ({ type: 'string', pattern: '^(/[^/]*)+$', description })

export const fileFileSchema: JsonObject = closed(
  'One operation on files below one folder.',
  {
    kind: choice('Files below a root.', ['file']),
    root: text('The folder that nothing leads out of, absolute or relative to this file.'),
    operation: choice(
      'read and list change nothing; delete moves into the trash and is at least MEDIUM_RISK_WRITE.',
      fileOperations,
    ),
    mode: choice(
      'How write treats what is there: create refuses, replace wants the version named by expect, put takes either.',
      writeModes,
    ),
    path: pointer('The argument that names the file; /path by default.'),
    content: pointer('The argument with the content; /content by default.'),
    to: pointer('The argument that names the new place of move; /to by default.'),
    id: pointer('The argument that names what restore brings back; /trash_id by default.'),
    expect: pointer('The argument that holds the SHA-256 of the version meant; another is refused as stale.'),
    encoding: choice('How content travels; utf8 by default.', ['utf8', 'base64']),
    max_bytes: count('The largest file that is read or written; 1 MiB by default.', 1),
    max_entries: count('How many entries list gives; 1000 by default.', 1),
    create_folders: flag('Missing folders are made on the way to a new file.'),
    tenant_folders: flag('Every tenant has a folder of its own in the root and sees no other.'),
    trash: text('Name of the folder in the root that keeps what was deleted or replaced; .trash by default.'),
    version: text('Which version of this declaration it is; an approval is given for one.'),
  },
  ['kind', 'root', 'operation'],
)
