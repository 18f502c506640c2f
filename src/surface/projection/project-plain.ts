// A place without alternatives in a provider's subset: its values where it lists them, else one form for each of its types.
import type { JsonObject } from '../../json/value.ts'
import { typeNameOf } from '../../schema/json-type.ts'
import type { NormalObject, TypeName } from '../../schema/normal.ts'
import { typesLeft, typesMeant } from './json-types.ts'
import { projectList } from './project-list.ts'
import { projectObject } from './project-object.ts'
import { projectNumber, projectText, projectValues, valuesLeft, withNull } from './project-scalar.ts'
import type { Projecting, ProjectionPlace, SchemaDraft } from './projecting.ts'

export function projectPlain(
  voices: readonly NormalObject[],
  standing: ProjectionPlace,
  projecting: Projecting,
): JsonObject | undefined {
  const told = voices.flatMap((voice) => [
    ...(voice.not === undefined || voice.not === false ? [] : [projecting.lose(voice, 'not', standing)]),
    ...(voice.if === undefined ? [] : [projecting.lose(voice, 'if', standing)]),
  ])
  const values = valuesLeft(voices, projecting)
  if (values !== undefined && !standing.isRoot) {
    if (values.length === 0) return undefined
    const listed = projectValues(values, projecting)
    if (listed !== undefined) return projecting.describe(listed, voices, told, standing)
  }
  for (const voice of values === undefined ? [] : voices) {
    if (voice.const !== undefined) told.push(projecting.lose(voice, 'const', standing))
    if (voice.enum !== undefined) told.push(projecting.lose(voice, 'enum', standing))
  }
  const given = typesLeft(voices) ?? (values === undefined ? undefined : [...new Set(values.map(typeNameOf))])
  const types = given ?? typesMeant(voices)
  if (types.length === 0) {
    if (given !== undefined) return undefined
    if (!projecting.subset.untyped) projecting.refuse('untyped', voices[0], 'It may be anything; say what it is.')
    return projecting.describe({}, voices, told, standing)
  }
  return projectTypes(types, { voices, standing, told }, projecting)
}

interface Place {
  readonly voices: readonly NormalObject[]
  readonly standing: ProjectionPlace
  /** What is said of it in words already. */
  readonly told: readonly string[]
}

function projectTypes(
  types: readonly TypeName[],
  { voices, standing, told }: Place,
  projecting: Projecting,
): JsonObject | undefined {
  const nullable = types.includes('null')
  const parts = types.flatMap((type) => {
    const part = type === 'null' ? undefined : ofType(type, voices, standing, projecting)
    return part === undefined ? [] : [part]
  })
  const [only] = parts
  if (only === undefined) {
    return nullable ? projecting.describe({ type: 'null' }, voices, told, standing) : undefined
  }
  if (parts.length === 1) {
    const [out, own] = only
    const { type } = out
    const widened = nullable ? { ...out, type: withNull([type as TypeName], true) } : out
    return projecting.describe(widened, voices, [...told, ...own], standing)
  }
  const forms = parts.map(([out, own]) => projecting.describe(out, [], own, standing))
  return projecting.describe({ anyOf: nullable ? [...forms, { type: 'null' }] : forms }, voices, told, standing)
}

/** The form, and what has to be told beside it; undefined where no value of this type fits. */
function ofType(
  type: Exclude<TypeName, 'null'>,
  voices: readonly NormalObject[],
  standing: ProjectionPlace,
  projecting: Projecting,
): readonly [SchemaDraft, readonly string[]] | undefined {
  switch (type) {
    case 'object':
      return projectObject(voices, standing, projecting)
    case 'array':
      return projectList(voices, standing, projecting)
    case 'string':
      return projectText(voices, standing, projecting)
    case 'number':
    case 'integer':
      return projectNumber(type, voices, standing, projecting)
    case 'boolean':
      return [{ type }, []]
  }
}
