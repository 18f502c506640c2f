// Runs a tool on files below one root: read, list, write, append, delete, move or restore, one of them per tool. No path leads out of
// the root, nothing is written in halves, and what is deleted or replaced is kept. Its verifier reads every change back.

import { resolve } from 'node:path'
import type { EffectClass } from '../../contract/effects.ts'
import type { ExecutionContext, Executor, Preflight, PreflightProblem } from '../../contract/tool/executor.ts'
import type { FileFile, FileOperation } from '../../contract/tool/executor-files/file-file.ts'
import { readPointer } from '../../json/pointer.ts'
import type { JsonObject } from '../../json/value.ts'
import { asFileError } from './file/failure.ts'
import { folderProblem } from './file/folder.ts'
import { lockProblem } from './file/lock.ts'
import { moveFileAt, removeFileAt, restoreFileAt } from './file/move.ts'
import { listFolderAt, readFileAt } from './file/read.ts'
import { readRelativePath } from './file/relative-path.ts'
import { type FileOptions, type FileSettings, fileSettings } from './file/settings.ts'
import { verifyFile } from './file/verify.ts'
import { writeFileAt } from './file/write.ts'

interface Row {
  /** The least that such a change may be declared as; undefined: it changes nothing. */
  readonly least: EffectClass | undefined
  /** The settings that name arguments with paths. */
  readonly paths: readonly ('path' | 'to')[]
  run(settings: FileSettings, args: JsonObject, context: ExecutionContext): Promise<JsonObject>
}

const operations: Readonly<Record<FileOperation, Row>> = {
  read: { least: undefined, paths: ['path'], run: readFileAt },
  list: { least: undefined, paths: ['path'], run: listFolderAt },
  write: { least: 'LOW_RISK_INTERNAL', paths: ['path'], run: writeFileAt },
  append: { least: 'LOW_RISK_INTERNAL', paths: ['path'], run: writeFileAt },
  delete: { least: 'MEDIUM_RISK_WRITE', paths: ['path'], run: removeFileAt },
  move: { least: 'LOW_RISK_INTERNAL', paths: ['path', 'to'], run: moveFileAt },
  restore: { least: 'LOW_RISK_INTERNAL', paths: [], run: restoreFileAt },
}

/** Throws a Fault where the options make no sense. */
export function file(options: FileOptions): Executor {
  const settings = fileSettings(options)
  const row = operations[settings.operation]
  return {
    kind: 'file',
    isolated: false,
    leastEffect: row.least,
    readsOnly: row.least === undefined,
    names: { arguments: argumentsOf(settings, row), credentials: [] },
    version: options.version,
    preflight: lookFirst(settings, row),
    verifier: row.least === undefined ? undefined : (args, _result, context) => verifyFile(settings, args, context),
    async run(args, context) {
      try {
        return await row.run(settings, args, context)
      } catch (error) {
        // A failure after the one step that changes something says so itself.
        throw asFileError(error, 'none')
      }
    },
  }
}

/** Without the path of `restore`, which a tool may leave out. */
function argumentsOf({ operation, content, id, expect, ...settings }: FileSettings, { paths }: Row): readonly string[] {
  return [
    ...paths.map((name) => settings[name]),
    ...(operation === 'write' || operation === 'append' ? [content] : []),
    ...(operation === 'restore' ? [id] : []),
    ...(expect === undefined ? [] : [expect]),
  ]
}

/** Paths are judged before a person is asked to approve them. */
function lookFirst(settings: FileSettings, { least, paths }: Row): Preflight {
  return async (args): Promise<PreflightProblem | undefined> => {
    for (const name of paths) {
      const pointer = settings[name]
      const rules = { hidden: settings.trash, root: settings.operation === 'list' }
      const reading = readRelativePath(readPointer(args, pointer), rules)
      if (!reading.ok) return { reason: reading.reason, message: reading.message, field: pointer }
    }
    const problem = (await folderProblem(settings.root)) ?? (least === undefined ? undefined : lockProblem())
    return problem === undefined ? undefined : { reason: 'setup_required', message: problem }
  }
}

/** The file executor from its declaration in a tool file. */
export function fileFromFile(declared: FileFile, folder: string): Executor {
  const { kind: _kind, root, max_bytes, max_entries, create_folders, tenant_folders, ...same } = declared
  return file({
    ...same,
    root: resolve(folder, root),
    maxBytes: max_bytes,
    maxEntries: max_entries,
    createFolders: create_folders,
    tenantFolders: tenant_folders,
  })
}
