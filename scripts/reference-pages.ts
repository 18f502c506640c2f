// The reference pages, each printed from the one table in the code that it describes.

import { lintRules } from '../src/cli/check/lint.ts'
import { policyLintRules } from '../src/cli/check/policy-rules.ts'
import { providerLintRules } from '../src/cli/check/provider-rules.ts'
import { type EffectRow, effects } from '../src/contract/effects.ts'
import { type TaxonomyRow, taxonomy } from '../src/contract/taxonomy.ts'
import { driftRules } from '../src/drift/rules/rules.ts'
import { sagaContradictions } from '../src/execute/saga/saga-contradictions.ts'
import { unbound } from '../src/ledger/log/unbound.ts'
import { phases } from '../src/pipeline/phases/phase-summary.ts'
import { toolContradictions } from '../src/runtime/tool-contradictions.ts'
import { classOfKind, keywordClasses } from '../src/schema/field-error.ts'
import { keywordRules } from '../src/subschema/keywords/keyword-rules.ts'
import { jsonTypes } from '../src/subschema/solver/domains.ts'
import { accessTables } from './access-page.ts'
import { cliPage } from './cli-page.ts'
import { importsTable } from './imports-page.ts'
import { code, markdownTable, yes } from './markdown-table.ts'
import { specificationTables } from './specification-page.ts'

export interface ReferencePage {
  readonly name: string
  /** The file that holds the table. */
  readonly source: string
  readonly title: string
  readonly intro: string
  readonly table: () => string
}

const taxonomyRows: readonly (readonly [string, TaxonomyRow])[] = Object.entries(taxonomy)
const effectRows: readonly (readonly [string, EffectRow])[] = Object.entries(effects)

export const referencePages: readonly ReferencePage[] = [
  {
    name: 'imports',
    source: 'package.json and the files that it names',
    title: 'What to import from where',
    intro:
      'A beginner needs the first row. Types come from `proviso`, and those of an adapter, of the ledger and of the prover from there.',
    table: importsTable,
  },
  {
    name: 'access',
    source: 'bench/access/methods.ts',
    title: 'Who reaches what of another',
    intro:
      'Every public method, asked for things of one user by one who differs from her in tenant, user, agent or role. `refused`: the answer shows nothing of hers, and nothing of hers changes. What is shared says why. A test plays every cell for every kind of thing; `npm run measure:access` prints the figures.',
    table: accessTables,
  },
  {
    name: 'pipeline',
    source: 'src/pipeline/pipeline.ts',
    title: 'The pipeline',
    intro:
      'Every proposed call passes these phases in this order. A gate gathers evidence and decides; an act does something and is recorded. `proviso gates` prints the same table.',
    table: () =>
      markdownTable(
        ['#', 'phase', 'kind', 'what it does', 'stops with'],
        phases.map(({ number, name, kind, does, stops_with }) => [
          String(number),
          code(name),
          kind,
          does,
          stops_with.map((stop) => `${code(stop.class)}: ${stop.reasons.map(code).join(', ')}`).join('<br>') ||
            'nothing',
        ]),
      ),
  },
  {
    name: 'taxonomy',
    source: 'src/contract/taxonomy.ts',
    title: 'The taxonomy',
    intro:
      'Every answer carries one of these classes. The row is the most a class allows: a contract may narrow it, and an effect that stands or may stand forbids repairing and retrying in every row.',
    table: () =>
      markdownTable(
        [
          'class',
          'code',
          'meaning',
          'repairable',
          'retryable',
          'needs approval',
          'fails closed',
          'escalated',
          'next action',
        ],
        taxonomyRows.map(([name, row]) => [
          code(name),
          String(row.code),
          row.meaning,
          yes(row.repairable),
          yes(row.retryable),
          yes(row.requiresApproval),
          yes(row.failClosed),
          yes(row.escalate),
          code(row.nextAction),
        ]),
      ),
  },
  {
    name: 'effects',
    source: 'src/contract/effects.ts',
    title: 'The effect classes',
    intro:
      'What a class demands of a contract and of every call. A contract that asks for less is refused at registration.',
    table: () =>
      markdownTable(
        [
          'class',
          'for example',
          'changes something',
          'idempotency',
          'same arguments in a run',
          'approval',
          'people',
          'read back',
          'budget',
          'durable ledger',
          'audited',
        ],
        effectRows.map(([name, row]) => [
          code(name),
          row.example,
          yes(row.mutates),
          row.idempotency,
          row.sameArgumentsAreOneOperation ? 'one operation' : 'another operation',
          row.confirmation === 'always' ? `always (${code(row.pattern)})` : `when declared (${code(row.pattern)})`,
          String(row.quorum),
          `${row.verification}: ${row.verificationDepth}`,
          code(row.budget),
          row.durableLedger ? 'required' : '',
          yes(row.audit),
        ]),
      ),
  },
  {
    name: 'unbound',
    source: 'src/ledger/log/unbound.ts',
    title: 'What an audit leaves out',
    intro:
      'Facts vouch for every column of every table of the ledger, and `proviso audit verify` rebuilds the tables from them, but for what stands here. `npm run measure:audit` edits every column, and inserts and deletes rows of every table: what is not found has to be on this list.',
    table: () =>
      markdownTable(
        ['table', 'what', 'reason'],
        unbound.map(({ table, columns, reason }) => [
          code(table),
          typeof columns === 'string' ? `${columns} of a row` : columns.map(code).join(', '),
          reason,
        ]),
      ),
  },
  {
    name: 'registration',
    source: 'src/runtime/tool-contradictions.ts',
    title: 'What registration refuses',
    intro:
      'A tool whose contract and binding contradict each other, or ask for less than the effect class demands, is refused by name when Proviso is opened; so is a saga whose plan its tools cannot keep.',
    table: () =>
      markdownTable(
        ['contradiction', 'where', 'what to do'],
        [...toolContradictions, ...sagaContradictions].map(({ id, pointer, remedy }) => [
          code(id),
          code(pointer),
          remedy,
        ]),
      ),
  },
  {
    name: 'keyword-classes',
    source: 'src/schema/field-error.ts',
    title: 'Which keyword raises which class',
    intro:
      'Every asserting keyword of JSON Schema, with the class its violation raises. Of several errors the first class in the order structure, type, constraint names the refusal; the feedback carries them all.',
    table: () =>
      markdownTable(
        ['keyword', 'class', 'why'],
        keywordClasses.map(({ keyword, kind, reason }) => [
          code(keyword),
          kind === 'branch' ? 'the classes of the closest alternative' : code(classOfKind[kind]),
          reason,
        ]),
      ),
  },
  {
    name: 'prover-keywords',
    source: 'src/subschema/keywords/keyword-rules.ts',
    title: 'What the prover makes of each keyword',
    intro:
      'Every keyword of the normal form that [the prover](../concepts/subtyping.md) reads, on both sides. Keywords of older dialects are translated before: `dependencies`, `additionalItems`, arrays of `items`, boolean `exclusiveMinimum`, `nullable`, `$recursiveRef` and `$dynamicRef`. A value of another type than those named passes.',
    table: () =>
      markdownTable(
        ['keyword', 'speaks about', 'modelled as'],
        keywordRules.map(({ keyword, types, model }) => [
          code(keyword),
          types.length === jsonTypes.length ? 'every value' : types.join(', '),
          model,
        ]),
      ),
  },
  {
    name: 'lint-rules',
    source: 'src/cli/check/lint.ts',
    title: 'What proviso check looks for',
    intro:
      'Every rule of the linter for tool files and the policies beside them. `proviso check --rules` prints the same table.',
    table: () =>
      markdownTable(
        ['rule', 'level', 'what it finds', 'why it matters'],
        [...lintRules, ...policyLintRules, ...providerLintRules].map(({ id, level, what, why }) => [
          code(id),
          level,
          what,
          why,
        ]),
      ),
  },
  {
    name: 'drift-rules',
    source: 'src/drift/rules/rules.ts',
    title: 'What a change of a tool means',
    intro:
      'Every rule by which two versions of a tool are compared: by `proviso drift` for what others publish, against the pin that a person approved, and by `proviso diff` for versions of a contract. `unknown` counts as breaking. The step is the part of a semantic version that must be raised. `proviso diff --rules` prints the same table.',
    table: () =>
      markdownTable(
        [
          'rule',
          'about',
          'against a pin',
          'between versions',
          'step',
          'what has changed',
          'why it matters',
          'of the ten',
        ],
        driftRules.map(({ id, direction, level, step, title, why, breaks }) => [
          code(id),
          direction,
          level.pin,
          level.version,
          step,
          title,
          why,
          breaks ?? '',
        ]),
      ),
  },
  {
    name: 'specification',
    source: 'test/specification.ts and the titles of tests',
    title: 'What the specification asks for, and what shows it',
    intro:
      'Every row of the specification that this project is built to, under its id and in our words, with the tests that cite it. A row that no test cites says why. A test fails on a row that has neither.',
    table: specificationTables,
  },
  {
    name: 'cli',
    source: 'src/cli/commands.ts',
    title: 'The command line',
    intro: 'Every command takes `--help`. Those that report something take `--json`.',
    table: cliPage,
  },
]

export const printPage = ({ source, title, intro, table }: ReferencePage): string =>
  [`<!-- Generated by \`npm run generate\` from ${source}. Do not edit. -->`, `# ${title}`, intro, `${table()}\n`].join(
    '\n\n',
  )
