// Rules about one provider's dialect: what its strict mode cannot carry of a tool's arguments, and what it refuses. They look at all files
// together, because some limits are those of one request.
import type { Tool } from '../../contract/tool/tool.ts'
import type { DialectTable, Provider } from '../../surface/dialects/dialect-table.ts'
import { dialectTables } from '../../surface/dialects/dialect-tables.ts'
import { projectTool, type RequestRefusal, requestRoom } from '../../surface/format-surface.ts'
import type { InputProjection } from '../../surface/projection/project-input.ts'
import { providerName } from '../../surface/tool-shapes.ts'
import { type FileReport, placeFindings } from './lint.ts'
import { type LintFinding, type LintRuleWords, type LintSpot, spotAt } from './lint-rule.ts'
import { inputAt, readSubjects, type SubjectOptions } from './subject.ts'

interface Projected {
  readonly tool: Tool
  readonly table: DialectTable
  readonly projection: InputProjection
  readonly limited: RequestRefusal | undefined
}

interface ProviderLintRule extends LintRuleWords {
  find(projected: Projected): readonly LintSpot[]
}

export const providerLintRules: readonly ProviderLintRule[] = [
  {
    id: 'provider-refuses-schema',
    level: 'error',
    what: 'The strict mode of the provider cannot take the input schema.',
    why: 'The tool is offered without it: the model may send anything, and learns of its mistakes only from refusals.',
    find: ({ projection, table }) =>
      projection.refusals.map(({ code, pointer, message }) => ({
        pointer: inputAt + pointer,
        message: `${table.provider} refuses this (${code}): ${message}`,
        write: remedies[code],
      })),
  },
  {
    id: 'provider-request-limit',
    level: 'warning',
    what: 'The strict tools of one request would take more than the provider allows, so this one is offered without strictness.',
    why: 'Which tools are strict depends on their order; fewer tools, or fewer arguments that may be absent, make all of them strict.',
    find: ({ limited }) =>
      limited === undefined ? [] : spotAt(inputAt, limited.message, 'deferred: true for tools that are seldom needed'),
  },
  {
    id: 'provider-schema-deep',
    level: 'warning',
    what: 'The input schema is deeper than the models of the provider handle well.',
    why: 'What lies deep is filled in wrongly more often.',
    find: ({ projection }) =>
      projection.warnings.map((message) => ({ pointer: inputAt, message, write: 'flatter arguments' })),
  },
  {
    id: 'provider-only-local',
    level: 'info',
    what: 'The provider does not hold the model to a constraint: it is told in the description, and checked here.',
    why: 'A model may break it, and is refused then; nothing gets through.',
    find: ({ projection, table }) =>
      projection.onlyLocal.map(({ pointer, constraint }) => ({
        pointer: inputAt + pointer,
        message: `${table.provider} does not enforce ${constraint}.`,
        write: 'nothing, or a constraint that it enforces',
      })),
  },
  {
    id: 'provider-renames-tool',
    level: 'info',
    what: 'The provider does not take the name of the tool, so the model calls it by another one.',
    why: 'Calls find the tool under both names; prompts that mention it should use the one that the model sees.',
    find: ({ tool, table }) => {
      const { name } = tool.contract.identity
      const shown = providerName(name, table, { entries: new Map(), aliases: new Map() })
      if (shown === name) return []
      const message = `${table.provider} is shown ${shown}.`
      return spotAt('/contract/identity/name', message, 'letters, digits, _ and -, at most 64 of them')
    },
  },
]

const remedies: Readonly<Record<InputProjection['refusals'][number]['code'], string>> = {
  recursion: 'a schema of a fixed depth',
  free_form_object: 'the fields by name, or a list of { name, value }',
  untyped: 'its type',
  null_is_a_value: 'required, or a type without null',
  optional_in_union: 'required in every alternative, or one object with fields that may be absent',
  unsatisfiable: 'a schema that some value fits',
  too_large: 'a smaller schema',
  too_many_properties: 'fewer properties',
  too_deep: 'flatter arguments',
  too_many_enum_values: 'a text, looked up by another tool',
  too_much_text: 'shorter names and values',
  too_many_optional: 'required arguments, or two tools',
  too_many_unions: 'arguments of one type',
}

export async function reportOnProvider(
  files: readonly string[],
  options: SubjectOptions,
  provider: Provider,
): Promise<readonly FileReport[]> {
  const subjects = await readSubjects(files, options)
  const table = dialectTables[provider]
  const room = requestRoom(table.request)
  return Promise.all(
    subjects.map(async (subject): Promise<FileReport> => {
      const { file } = subject
      if (!subject.ok || subject.tool === undefined) return { file, tool: null, findings: [] }
      const { tool } = subject
      const projection = projectTool(tool, provider)
      const limited = projection.strict === undefined ? undefined : room(projection)
      const findings = providerLintRules.flatMap(({ id, level, find }): readonly LintFinding[] =>
        find({ tool, table, projection, limited }).map((spot) => ({ rule: id, level, ...spot })),
      )
      return { file, tool: tool.contract.identity.name, findings: await placeFindings(file, findings) }
    }),
  )
}
