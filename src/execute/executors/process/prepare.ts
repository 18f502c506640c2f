// Everything that one start of a program needs, made from the arguments of a call: argv, environment, standard input, the folder it
// starts in, and a private folder for its files. What is refused here was never started.
import { join } from 'node:path'
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutionContext, PreflightProblem } from '../../../contract/tool/executor.ts'
import { readPointer } from '../../../json/pointer.ts'
import type { JsonObject } from '../../../json/value.ts'
import { type Folder, openBelow, openRoot } from '../file/folder.ts'
import { readRelativePath } from '../file/relative-path.ts'
import { handedCredential } from '../text-template.ts'
import { renderArgv } from './argv.ts'
import type { RunAs } from './run-as.ts'
import { makeScratch, type Scratch } from './scratch.ts'
import type { ProcessSettings } from './settings.ts'

/** What is wrong with the arguments themselves; undefined: nothing. */
export function argumentProblem(settings: ProcessSettings, args: JsonObject): PreflightProblem | undefined {
  const rendering = renderArgv(settings.template, args)
  if (!rendering.ok) return { reason: 'invalid_arguments', message: rendering.message, field: rendering.pointer }
  for (const pointer of settings.paths) {
    const value = readPointer(args, pointer)
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value]
    for (const one of values) {
      const reading = readRelativePath(one, { root: true })
      if (!reading.ok) return { reason: reading.reason, message: reading.message, field: pointer }
    }
  }
  const folder = folderParts(settings, args)
  return folder.ok ? undefined : { reason: folder.reason, message: folder.message }
}

function folderParts({ folder }: ProcessSettings, args: JsonObject): ReturnType<typeof readRelativePath> {
  if (folder === undefined) return { ok: true, parts: [] }
  const rendering = renderArgv(folder, args)
  if (!rendering.ok) return { ok: false, reason: 'invalid_arguments', message: rendering.message }
  return readRelativePath(rendering.argv[0] ?? '.', { root: true })
}

export interface PreparedStart {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string | undefined
  readonly folder: { readonly inside: string; readonly outside: string }
  readonly readable: readonly string[]
  /** Takes away what was made for this start. Never throws; gives where something is left. */
  cleanUp(): Promise<string | undefined>
}

export async function prepareStart(
  settings: ProcessSettings,
  args: JsonObject,
  context: ExecutionContext,
  user: RunAs | undefined,
): Promise<PreparedStart> {
  const problem = argumentProblem(settings, args)
  if (problem !== undefined) throw refused(problem.message)
  const rendering = renderArgv(settings.template, args)
  const parts = folderParts(settings, args)
  if (!rendering.ok || !parts.ok) throw refused('The arguments cannot be used.')
  let folder: Folder | undefined
  let scratch: Scratch | undefined
  const cleanUp = async () => {
    await folder?.close().catch(() => undefined)
    return scratch?.remove()
  }
  try {
    const wantsFile = [...settings.credentials.values()].some((place) => 'file' in place)
    if (wantsFile || settings.isolation === 'none') scratch = await makeScratch(user)
    const { env, stdin } = await withCredentials(settings, context, scratch)
    const given = settings.stdin === undefined ? undefined : readPointer(args, settings.stdin)
    if (settings.root !== undefined) folder = await openFolder(settings.root, parts.parts)
    const home = settings.isolation === 'none' ? (scratch?.folder ?? '/') : '/tmp'
    return {
      argv: rendering.argv,
      env: { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home, PROVISO_CALL: context.callId, ...env },
      stdin: stdin ?? (given === undefined ? undefined : typeof given === 'string' ? given : JSON.stringify(given)),
      folder: startOf(settings.root, parts.parts, folder, scratch),
      readable: settings.isolation === 'bubblewrap' && scratch !== undefined ? [scratch.secrets] : [],
      cleanUp,
    }
  } catch (error) {
    await cleanUp()
    throw error
  }
}

/** Held open while the program starts: a folder swapped for a link meanwhile changes nothing. */
async function openFolder(root: string, parts: readonly string[]): Promise<Folder> {
  const base = await openRoot(root)
  try {
    return await openBelow(base, parts)
  } finally {
    await base.close()
  }
}

function startOf(
  root: string | undefined,
  parts: readonly string[],
  folder: Folder | undefined,
  scratch: Scratch | undefined,
): PreparedStart['folder'] {
  if (root === undefined || folder === undefined) return { inside: '/tmp', outside: scratch?.folder ?? '/' }
  return { inside: join(root, ...parts), outside: folder.at('.').replace('/self/', `/${process.pid}/`) }
}

async function withCredentials(
  { credentials, environment }: ProcessSettings,
  context: ExecutionContext,
  scratch: Scratch | undefined,
): Promise<{ readonly env: Readonly<Record<string, string>>; readonly stdin: string | undefined }> {
  const env = new Map(environment)
  let stdin: string | undefined
  for (const [name, place] of credentials) {
    const value = handedCredential(context, name)
    if ('stdin' in place) stdin = value
    else if ('env' in place) env.set(place.env, value)
    else if (scratch !== undefined) env.set(place.file, await scratch.secret(place.file, value))
  }
  return { env: Object.fromEntries(env), stdin }
}

const refused = (message: string) =>
  new ToolError('invalid_arguments', message, { effect: 'none', class: 'SEMANTIC_INVALIDITY' })
