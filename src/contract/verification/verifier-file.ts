// Verifiers as a tool file writes them: code by module and export, or a place to read with the predicates that must hold there.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { choice, closed, count, flag, text } from '../closed-schema.ts'
import { type CredentialBindings, credentialsSchema } from '../tool/credential.ts'
import type { Executor, Verifier } from '../tool/executor.ts'
import { type CodeRef, code, declaredExecutors, type FileExecutor } from '../tool/executor-files/executor-file.ts'
import {
  type BoundVerification,
  type Predicate,
  predicateOperators,
  predicateSubjects,
  type StateVerifier,
  type VerifierSource,
} from './verifier.ts'

/** What a reader of a place may be: a function, or an executor that the file declares. */
type FileReader = CodeRef | Exclude<FileExecutor, { readonly kind: 'fn' }>

interface FilePlace {
  readonly source?: string
  readonly audit?: boolean
  readonly target: Readonly<Record<string, string>>
  readonly read: FileReader
  readonly expect: readonly Predicate[]
  readonly creates?: boolean
}

type FileVerifier = CodeRef | FilePlace | 'state'

interface FileVerification {
  readonly delay_seconds?: number
  readonly times?: number
  readonly every_seconds?: number
  readonly credentials?: CredentialBindings
}

/** What the binding of a tool file says about reading back. */
export interface VerifierFields {
  readonly verifier?: FileVerifier | readonly FileVerifier[]
  readonly verification?: FileVerification
}

/** Every verifier of a file with where it is named. */
function fileVerifiers({ verifier }: VerifierFields): readonly { readonly at: string; readonly file: FileVerifier }[] {
  if (verifier === undefined) return []
  if (!isList(verifier)) return [{ at: '/binding/verifier', file: verifier }]
  return verifier.map((file, index) => ({ at: `/binding/verifier/${index}`, file }))
}

const isList = (verifier: FileVerifier | readonly FileVerifier[]): verifier is readonly FileVerifier[] =>
  Array.isArray(verifier)

/** The exports that verifiers name. */
export const verifierCode = (file: VerifierFields): readonly { readonly ref: CodeRef; readonly pointer: string }[] =>
  fileVerifiers(file).flatMap(({ at, file: one }) => {
    if (one === 'state') return []
    if ('module' in one) return [{ ref: one, pointer: at }]
    return 'module' in one.read ? [{ ref: one.read, pointer: `${at}/read` }] : []
  })

/** The executors that verifiers declare to read with. */
export const declaredReaders = (
  file: VerifierFields,
): readonly { readonly executor: Exclude<FileReader, CodeRef>; readonly pointer: string }[] =>
  fileVerifiers(file).flatMap(({ at, file: one }) =>
    one === 'state' || 'module' in one || 'module' in one.read ? [] : [{ executor: one.read, pointer: `${at}/read` }],
  )

export interface VerifierParts {
  /** What the module exports under this name; registration checks that it is a function. */
  code(ref: CodeRef, pointer: string): Promise<unknown>
  reader(file: Exclude<FileReader, CodeRef>, pointer: string): Promise<Executor>
}

const againSeconds = 60

export async function bindVerifier(file: VerifierFields, parts: VerifierParts): Promise<BoundVerification | undefined> {
  const given = fileVerifiers(file)
  if (given.length === 0) return undefined
  const { delay_seconds = 0, times = 0, every_seconds = againSeconds } = file.verification ?? {}
  return {
    sources: await Promise.all(given.map(({ at, file: one }) => bindSource(one, at, parts))),
    delayMs: delay_seconds * 1_000,
    again: { times, everyMs: every_seconds * 1_000 },
    credentials: file.verification?.credentials,
  }
}

async function bindSource(file: FileVerifier, at: string, parts: VerifierParts): Promise<VerifierSource> {
  if (file === 'state') return file
  if ('module' in file) return (await parts.code(file, at)) as Verifier
  const { read } = file
  const reader = 'module' in read ? await parts.code(read, `${at}/read`) : await parts.reader(read, `${at}/read`)
  return { ...file, read: reader as StateVerifier['read'] }
}

const pointer = (description: string): JsonObject => ({ type: 'string', pattern: '^(/[^/]*)+$', description })

const predicateSchema = closed(
  'What must hold at one place of the state that was read.',
  {
    path: { type: 'string', pattern: '^(/[^/]*)*$', description: 'The place, as a JSON Pointer into the state.' },
    is: choice('How it is compared. changed: with what was there before the call.', predicateOperators),
    value: { description: 'A constant that it is compared with.' },
    from: pointer('What it is compared with: a place in /args, /result, /before or /call.'),
    about: choice(
      'What it is about, which decides what its failure is called; amounts are compared as exact decimals.',
      predicateSubjects,
    ),
  },
  ['path', 'is'],
)

const place = closed(
  'A place that is read, and what must hold there.',
  {
    source: text('Names the source in facts.'),
    audit: flag('A record of what was done that the tool does not write itself, such as the ledger of a provider.'),
    target: {
      type: 'object',
      description: 'What the reader is given: names with pointers into /args, /result, /before and /call.',
      additionalProperties: pointer('A place in the document of the call.'),
    },
    read: {
      description: 'What reads the state: null or nothing found means that there is no such target.',
      anyOf: [code('(target, context) => state | null'), ...declaredExecutors],
    },
    expect: { type: 'array', minItems: 1, items: predicateSchema, description: 'All of them must hold.' },
    creates: flag('The target comes into being by the call.'),
  },
  ['target', 'read', 'expect'],
)
const verifier: readonly JsonValue[] = [
  code('(args, result, context) => { status: "verified" | "partial" | "failed" | "absent", message? }.'),
  place,
  { const: 'state', description: 'The state is read again and must be what its reader foretold.' },
]
export const verifierSchema: JsonObject = {
  description: 'How the effect is read back; of several, all must agree.',
  anyOf: [...verifier, { type: 'array', minItems: 1, items: { anyOf: verifier } }],
}

export const verificationSchema: JsonObject = closed(
  'When the effect is read back, at once by default, and with which secrets.',
  {
    delay_seconds: count('The first reading comes this long after the effect; 0: within the call.', 0),
    times: count('How often a state that is not there yet is read again.', 0),
    every_seconds: count(
      'How long after the first reading the second comes; each wait is twice as long as the last.',
      1,
    ),
    credentials: credentialsSchema(
      'Secrets for reading, instead of those of the executor, by the names under which the reader finds them.',
    ),
  },
  [],
)
