// One tool's arguments for one provider, with what is proven about it: every value of the projection obeys the tool's own schema, or each
// constraint that only this side checks is named. The projection is for models; nothing is ever validated with it.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { Dialect, Preprocessed } from '../../schema/normal.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { provePreprocessed } from '../../subschema/is-subschema.ts'
import type { DialectTable } from '../dialects/dialect-table.ts'
import { mapSubschemas } from '../schema-positions.ts'
import { nullableOptionals } from './null-for-absent.ts'
import { printLoose, printWhole } from './print-schema.ts'
import { projectSchema } from './project-schema.ts'
import type { OnlyLocal, ProjectionRefusal } from './projector.ts'
import { type SchemaSize, schemaSize, sizeRefusals } from './schema-size.ts'

export interface InputProjection {
  /**
   * `proven`: all that the provider lets the model write obeys the tool's own schema. `listed`: all but the constraints in `onlyLocal`.
   * `refused`: the schema cannot be put into the strict subset.
   */
  readonly verdict: 'proven' | 'listed' | 'refused'
  /** What the provider is given in strict mode; absent where that is refused. */
  readonly strict: JsonObject | undefined
  /** What it is given where it enforces nothing. */
  readonly loose: JsonObject
  readonly onlyLocal: readonly OnlyLocal[]
  readonly refusals: readonly ProjectionRefusal[]
  readonly warnings: readonly string[]
  /** Formats that the proof takes to mean the same on both sides. */
  readonly assumes: readonly string[]
  readonly size: SchemaSize
  /** The strict projection before absent properties became nulls, as the proof read it. */
  readonly form: Preprocessed | undefined
}

export interface InputProjectionInput {
  readonly form: Preprocessed
  readonly source: JsonObject
  readonly table: DialectTable
  readonly sensitive: readonly string[]
}

const noSize = schemaSize({}, 0)

export function projectInput({ form, source, table, sensitive }: InputProjectionInput): InputProjection {
  const { subset } = table
  if (subset === undefined) {
    const whole = printWhole(form, source)
    const proof = prove(whole, form.dialect === 'openapi-3.0' ? '2020-12' : form.dialect, form)
    return { ...proof, strict: whole, loose: whole, refusals: [], warnings: [], size: noSize }
  }
  const loose = printLoose(form, source)
  const projected = projectSchema({ form, source, subset, sensitive })
  const strict = subset.optional === 'nullable' ? nullableOptionals(projected.schema) : projected.schema
  const { limits } = subset
  const size = schemaSize(strict, limits.longEnum.over)
  const refusals = [...projected.refusals, ...sizeRefusals(size, table, limits)]
  if (refusals.length > 0) {
    const nothing = { strict: undefined, onlyLocal: [], warnings: [], assumes: [], form: undefined }
    return { verdict: 'refused', loose, refusals, size, ...nothing }
  }
  const warnings =
    size.levels > limits.goodLevels
      ? [`It is ${size.levels} levels deep; beyond ${limits.goodLevels} models fill in less well.`]
      : []
  const proof = prove(projected.schema, '2020-12', form, projected.lost)
  const ordered = subset.ordering === undefined ? strict : withOrder(strict, subset.ordering)
  return { ...proof, strict: ordered, loose, refusals: [], warnings, size }
}

type Proven = Pick<InputProjection, 'verdict' | 'onlyLocal' | 'assumes' | 'form'>

function prove(schema: JsonObject, dialect: Dialect, local: Preprocessed, lost: readonly OnlyLocal[] = []): Proven {
  const reading = preprocess(schema, { formats: local.formats, dialect })
  if (!reading.ok) return { verdict: 'listed', onlyLocal: lost, assumes: [], form: undefined }
  const proof = provePreprocessed(reading.schema, local)
  if (proof.verdict === 'proven') {
    return { verdict: 'proven', onlyLocal: [], assumes: proof.assumes ?? [], form: reading.schema }
  }
  // The prover names one place; constraints that were left out on purpose are named as well.
  const pointer = proof.verdict === 'refuted' ? proof.lPointer : proof.side === 'l' ? proof.pointer : ''
  const found = { pointer, constraint: pointer.split('/').at(-1) ?? '' }
  const isKnown = lost.some((one) => one.pointer === pointer || pointer.startsWith(`${one.pointer}/`))
  const onlyLocal = isKnown || (proof.verdict === 'unsupported' && lost.length > 0) ? lost : [...lost, found]
  return { verdict: 'listed', onlyLocal, assumes: [], form: reading.schema }
}

/** Models of this provider fill in properties in the order of this list, otherwise in alphabetical order. */
function withOrder(schema: JsonObject, word: string): JsonObject {
  const mapped = mapSubschemas(schema, '', (child: JsonValue) => (isObject(child) ? withOrder(child, word) : child))
  return isObject(mapped.properties) ? { ...mapped, [word]: Object.keys(mapped.properties) } : mapped
}
