// The process executor as a tool file declares it.
import type { JsonObject } from '../../../json/value.ts'
import { choice, closed, count, flag, text, texts } from '../../closed-schema.ts'

export interface ProcessFile {
  readonly kind: 'process'
  readonly program: string
  readonly arguments?: readonly string[]
  readonly stdin?: string
  readonly output?: 'text' | 'lines' | 'json'
  readonly environment?: Readonly<Record<string, string>>
  readonly credentials?: Readonly<
    Record<string, { readonly env: string } | { readonly file: string } | { readonly stdin: true }>
  >
  readonly root?: string
  readonly folder?: string
  readonly paths?: readonly string[]
  readonly writable?: boolean
  readonly readable?: readonly string[]
  readonly network?: boolean
  readonly isolation?: 'bubblewrap' | 'none'
  readonly shared_memory?: boolean
  readonly success?: readonly number[]
  readonly unchanged?: readonly number[]
  readonly limits?: {
    readonly cpu_seconds?: number
    readonly memory_bytes?: number
    readonly address_space_bytes?: number
    readonly file_bytes?: number
    readonly processes?: number
    readonly open_files?: number
    readonly stdout_bytes?: number
    readonly stderr_bytes?: number
    readonly grace_ms?: number
  }
  readonly version?: string
}

const pointer = (description: string): JsonObject => ({ type: 'string', pattern: '^(/[^/]*)*$', description })
const codes = (description: string): JsonObject => ({
  type: 'array',
  description,
  items: { type: 'integer', minimum: 0, maximum: 255 },
})

export const processFileSchema: JsonObject = closed(
  'One program of this machine, never a shell. {name} and {/pointer} stand for arguments.',
  {
    kind: choice('A program that is run.', ['process']),
    program: text('Its absolute path. Only root and our own user may be able to change it.'),
    arguments: texts(
      'One item is one argument of the program: --format=json, {path}, --name={name}, {limit?} where it may be absent, {files...} for a list.',
    ),
    stdin: pointer('The argument that goes to standard input, a text as it is and anything else as JSON; "" for all.'),
    output: choice('How standard output is read: { text }, { lines }, or the JSON itself; text by default.', [
      'text',
      'lines',
      'json',
    ]),
    environment: {
      type: 'object',
      description: 'Variables of its environment; nothing of ours is inherited.',
      additionalProperties: { type: 'string' },
    },
    credentials: {
      type: 'object',
      description: 'Credentials of the binding, by name, and how each reaches the program.',
      additionalProperties: {
        anyOf: [
          closed('In a variable.', { env: text('Its name.') }),
          closed('In a private file.', { file: text('Name of the variable that holds its path.') }),
          closed('On standard input.', { stdin: { const: true } }),
        ],
      },
    },
    root: text('The folder that it works in, absolute or relative to this file; a private empty one without it.'),
    folder: text('Where in the root it starts: a relative path, also from arguments.'),
    paths: {
      type: 'array',
      description: 'Arguments that must be relative paths that do not lead upwards.',
      items: pointer('The argument.'),
    },
    writable: flag('It may write in the root. False by default; enforced by bubblewrap alone.'),
    readable: texts('Absolute paths that it may read inside bubblewrap, besides /usr.'),
    network: flag(
      'It may connect. Where to cannot be watched: the contract has to say unrestricted_with_approval. False by default in bubblewrap; with isolation none true by default, and false is your own word that it connects to no other host.',
    ),
    isolation: choice(
      'bubblewrap by default, and refused where it does not work; none for programs that are trusted like own code.',
      ['bubblewrap', 'none'],
    ),
    shared_memory: flag(
      'It may hold memory that no limit counts: memory files, and shared segments, queues and semaphores of System V. False by default; refused by bubblewrap alone.',
    ),
    success: codes('Exit codes of success; 0 by default.'),
    unchanged: codes('Exit codes by which the program says that it has changed nothing.'),
    limits: closed(
      'What it may use.',
      {
        cpu_seconds: count('Processor time of one process; 30 by default.', 1),
        memory_bytes: count('Memory of one process; 512 MiB by default.', 1),
        address_space_bytes: count('What one process may reserve; as memory_bytes by default.', 1),
        file_bytes: count('The largest file that it writes, and the size of its /tmp; 64 MiB by default.', 1),
        processes: count('Processes and threads at once; 16 by default.', 1),
        open_files: count('Open files of one process; 256 by default.', 1),
        stdout_bytes: count('More output ends it; 1 MiB by default.', 1),
        stderr_bytes: count('More on standard error ends it; 64 KiB by default.', 1),
        grace_ms: count('How long it has to end by itself; 2000 by default.', 1),
      },
      [],
    ),
    version: text('Which build of the program runs; an approval is given for one.'),
  },
  ['kind', 'program'],
)
