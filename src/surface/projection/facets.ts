// The facets of a value, the schemas that certainly apply to it: the node, its reference, members of allOf, and the one alternative
// beside null.
// Projecting and undoing ask the same question here, so that undoing finds every null that the projection asked for.
import { ownValue } from '../../schema/json-type.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'

/** Nothing deeper than this is followed; preprocessing refuses references that lead nowhere but to themselves. */
const maxFacets = 500

export function facetsOf(schemas: readonly NormalSchema[], form: Preprocessed): readonly NormalObject[] {
  const facets = new Set<NormalObject>()
  const listen = (schema: NormalSchema | undefined): void => {
    if (schema === undefined || typeof schema === 'boolean' || facets.has(schema) || facets.size >= maxFacets) return
    facets.add(schema)
    if (schema.$ref !== undefined) listen(form.defs.get(schema.$ref))
    for (const member of schema.allOf ?? []) listen(member)
    for (const union of [schema.anyOf, schema.oneOf]) {
      const branches = union?.filter((branch) => !isOnlyNull(branch)) ?? []
      if (branches.length === 1) listen(branches[0])
    }
  }
  for (const schema of schemas) listen(schema)
  return [...facets]
}

export function isOnlyNull(schema: NormalSchema): boolean {
  if (typeof schema === 'boolean') return false
  if (schema.type?.length === 1 && schema.type[0] === 'null') return true
  return schema.const === null || schema.enum?.every((value) => value === null) === true
}

/** The schemas that facets declare for a property by its name; undefined where no facet declares it. */
export function declarationsOf(facets: readonly NormalObject[], name: string): readonly NormalSchema[] | undefined {
  const declared = facets.flatMap(({ properties }) => {
    const schema = properties === undefined ? undefined : ownValue(properties, name)
    return schema === undefined ? [] : [schema]
  })
  return declared.length === 0 ? undefined : declared
}

export function isRequired(facets: readonly NormalObject[], name: string): boolean {
  return facets.some(({ required }) => required?.includes(name) === true)
}

/** Whether null obeys a schema. Exact, because no other keyword can refuse null. */
export function acceptsNull(schema: NormalSchema, form: Preprocessed): boolean {
  if (typeof schema === 'boolean') return schema
  const { $ref, type, enum: values, allOf, anyOf, oneOf, not } = schema
  if (type !== undefined && !type.includes('null')) return false
  if (values !== undefined && !values.includes(null)) return false
  if (schema.const !== undefined && schema.const !== null) return false
  const fits = (part: NormalSchema): boolean => acceptsNull(part, form)
  if ($ref !== undefined && !fits(form.defs.get($ref) ?? true)) return false
  if (allOf !== undefined && !allOf.every(fits)) return false
  if (anyOf !== undefined && !anyOf.some(fits)) return false
  if (oneOf !== undefined && oneOf.filter(fits).length !== 1) return false
  if (not !== undefined && fits(not)) return false
  if (schema.if === undefined) return true
  return fits((fits(schema.if) ? schema.then : schema.else) ?? true)
}

/** The schemas that facets have for one item of a list. */
export function itemsOf(facets: readonly NormalObject[], index: number): readonly NormalSchema[] {
  return facets.flatMap(({ prefixItems, items }) => {
    const schema = prefixItems?.[index] ?? items
    return schema === undefined ? [] : [schema]
  })
}
