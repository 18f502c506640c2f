// What the rules look at: one tool file, read once, with everything that several rules need derived from it. Without --load nothing of the
// host is loaded: a stand-in for the code is enough to judge contradictions.
import { access } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { effectRow } from '../../contract/effects.ts'
import { codeRules, type FileBinding, fileChoices, inlineRules } from '../../contract/tool/binding-schema.ts'
import { compileTool, type Problem } from '../../contract/tool/compile-tool.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import type { Executor } from '../../contract/tool/executor.ts'
import type { CodeRef, FileExecutor } from '../../contract/tool/executor-files/executor-file.ts'
import { fillBinding } from '../../contract/tool/fill-binding.ts'
import type { RuleSource } from '../../contract/tool/rule.ts'
import type { Binding, Tool } from '../../contract/tool/tool.ts'
import { bindVerifier, declaredReaders, verifierCode } from '../../contract/verification/verifier-file.ts'
import type { JsonObject } from '../../json/value.ts'
import { declaredExecutor } from '../../runtime/file-executor.ts'
import { loadToolFile, readToolFile, type ToolDocument } from '../../runtime/load-contracts.ts'
import type { Dialect, SchemaRefusal } from '../../schema/normal.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { type PropertyPlace, placesOf, propertiesOf } from './schema-places.ts'

export const inputAt = '/contract/affordance/input_schema'
const outputAt = '/contract/affordance/output_schema'

/** A schema of the contract, as the preprocessor sees it. */
export interface SchemaReading {
  readonly at: string
  readonly refusals: readonly SchemaRefusal[]
  readonly ignored: readonly string[]
  readonly dialect: Dialect
}

export interface ReadSubject {
  readonly ok: true
  readonly file: string
  readonly contract: Contract
  readonly binding: FileBinding
  readonly mutates: boolean
  readonly strict: boolean
  readonly input: JsonObject
  readonly properties: readonly PropertyPlace[]
  readonly schemas: readonly SchemaReading[]
  /** Undefined where a schema was refused. */
  readonly tool: Tool | undefined
  readonly missingModules: readonly Problem[]
  /** Problems of loading the code, with --load. */
  readonly loadProblems: readonly Problem[]
  /** What is wrong with the executor that the file itself declares. */
  readonly executorProblems: readonly Problem[]
  /** Which of the checked files declares a name or alias first, and which names are declared at all. */
  readonly firstOwner: ReadonlyMap<string, string>
  /** Which tool each of the checked files is, in which version. */
  readonly identities: ReadonlyMap<string, Pick<Contract['identity'], 'name' | 'version'>>
}

export interface UnreadSubject {
  readonly ok: false
  readonly file: string
  readonly problems: readonly Problem[]
}

export type LintSubject = ReadSubject | UnreadSubject

export interface SubjectOptions {
  /** Runs the modules that the files name. */
  readonly load: boolean
}

export async function readSubjects(files: readonly string[], options: SubjectOptions): Promise<readonly LintSubject[]> {
  const documents = await Promise.all(files.map(async (file) => ({ file, document: await readToolFile(file) })))
  const firstOwner = new Map<string, string>()
  const identities = new Map<string, Contract['identity']>()
  for (const { file, document } of documents) {
    if (document.ok) identities.set(file, document.contract.identity)
    for (const name of document.ok ? declaredNames(document) : []) if (!firstOwner.has(name)) firstOwner.set(name, file)
  }
  return Promise.all(
    documents.map(({ file, document }): LintSubject | Promise<LintSubject> =>
      document.ok
        ? subjectOf(file, document, { firstOwner, identities }, options)
        : { ok: false, file, problems: document.problems },
    ),
  )
}

type Document = Extract<ToolDocument, { ok: true }>

export const declaredNames = ({ contract, binding }: Pick<Document, 'contract' | 'binding'>): readonly string[] => [
  contract.identity.name,
  ...(binding.aliases ?? []),
]

async function subjectOf(
  file: string,
  { contract, binding }: Document,
  among: Pick<ReadSubject, 'firstOwner' | 'identities'>,
  { load }: SubjectOptions,
): Promise<LintSubject> {
  const { input_schema: input, output_schema: output } = contract.affordance
  const { mutates } = effectRow(contract.transactional.side_effect_class)
  const loaded = load ? await loadCode(file) : { binding: undefined, problems: [] }
  const compilation = compileTool(contract, loaded.binding ?? (await standInBinding(binding, contract, file)))
  return {
    ok: true,
    file,
    contract,
    binding,
    mutates,
    strict: binding.strict ?? mutates,
    input,
    properties: propertiesOf(input, placesOf(input)),
    schemas: [readingOf(inputAt, input), readingOf(outputAt, output)],
    tool: compilation.ok ? compilation.tool : undefined,
    missingModules: await missingModules(file, binding),
    loadProblems: loaded.problems,
    executorProblems: await executorProblems(file, binding),
    ...among,
  }
}

function readingOf(at: string, schema: JsonObject): SchemaReading {
  const reading = preprocess(schema)
  return reading.ok
    ? { at, refusals: [], ignored: reading.schema.ignored, dialect: reading.schema.dialect }
    : { at, refusals: reading.refusals, ignored: [], dialect: '2020-12' }
}

const codeParts = ['executor', 'consequence', 'preflight', 'state', 'compensation'] as const

/** What a file says in words needs no module. */
const refOf = (part: FileBinding[(typeof codeParts)[number]]): CodeRef | undefined =>
  typeof part === 'object' && 'module' in part ? part : undefined

interface CodePart {
  readonly ref: CodeRef | undefined
  readonly pointer: string
}

async function missingModules(file: string, binding: FileBinding): Promise<readonly Problem[]> {
  const found = await Promise.all(
    [
      ...codeParts.map((part) => ({ ref: refOf(binding[part]), pointer: `/binding/${part}` })),
      ...codeRules(binding),
      ...verifierCode(binding),
    ].map(async ({ ref, pointer }: CodePart): Promise<readonly Problem[]> => {
      if (ref === undefined || (await isThere(resolve(dirname(file), ref.module)))) return []
      return [{ pointer: `${pointer}/module`, message: `There is no file ${ref.module} beside the tool file.` }]
    }),
  )
  return found.flat()
}

/** What a file declares of its executor is judged without running anything. */
async function executorProblems(file: string, binding: FileBinding): Promise<readonly Problem[]> {
  const declared = [{ pointer: '/binding/executor', executor: binding.executor }, ...declaredReaders(binding)]
  const problems = await Promise.all(
    declared.map(async ({ pointer, executor }): Promise<readonly Problem[]> => {
      if (executor.kind === 'fn') return []
      const made = await declaredExecutor(executor, dirname(file))
      return 'problem' in made ? [{ pointer, message: made.problem }] : []
    }),
  )
  return problems.flat()
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

async function loadCode(
  file: string,
): Promise<{ readonly binding: Binding | undefined; readonly problems: readonly Problem[] }> {
  const loading = await loadToolFile(file)
  return loading.ok
    ? { binding: loading.tool.binding, problems: [] }
    : { binding: undefined, problems: loading.problems }
}

/** The binding of a tool file without its code. */
async function standInBinding(file: FileBinding, contract: Contract, path: string): Promise<Binding> {
  const executor = await standInExecutor(file.executor, path)
  const choices = fileChoices(file)
  const { schema } = file.state ?? {}
  const state = file.state === undefined ? undefined : { read: neverRun, match: [], schema, after: neverRun }
  // A reader in code that declares no schema of its state in the file: a rule that reads the state is checked with --load only.
  const isKnown = ({ when }: RuleSource) => state === undefined || schema !== undefined || !/\bstate\b/.test(when)
  const rules = inlineRules(file).filter(isKnown)
  const verifier = await bindVerifier(file, {
    code: async () => neverRun,
    reader: (declared) => standInExecutor(declared, path),
  })
  return fillBinding(contract.transactional.side_effect_class, { ...choices, rules, state, verifier }, executor)
}

/** An executor that the file declares is judged as it is; of one in code only its kind is known. */
async function standInExecutor(file: FileExecutor, path: string): Promise<Executor> {
  if (file.kind === 'fn') return { kind: 'fn', isolated: false, commits: file.commits, run: neverRun }
  const made = await declaredExecutor(file, dirname(path))
  return 'problem' in made ? { kind: file.kind, isolated: false, run: neverRun } : made
}

function neverRun(): never {
  throw new TypeError('A tool that is only being checked was run')
}
