// Program text for the keywords of objects. Only own properties count; those of the prototype do not.
import type { NormalObject, NormalSchema } from '../normal.ts'
import { patternTest } from '../patterns/pattern-test.ts'
import { hasOwnText, literal, member, type Spot, type Writer } from './writer.ts'

export function constrainsObject(node: NormalObject): boolean {
  const { properties, patternProperties, additionalProperties, propertyNames, required } = node
  const { minProperties, maxProperties, dependentRequired, dependentSchemas } = node
  const keywords = [properties, patternProperties, additionalProperties, propertyNames, required]
  const counts = [minProperties, maxProperties, dependentRequired, dependentSchemas]
  return [...keywords, ...counts].some((keyword) => keyword !== undefined)
}

export function writeObject(writer: Writer, node: NormalObject, spot: Spot): void {
  const { value, fail } = spot
  for (const name of node.required ?? []) writer.line(`if(!(${hasOwnText(value, name)}))${fail}`)
  writeCounts(writer, node, spot)
  writeProperties(writer, node, spot)
  writeEachName(writer, node, spot)
  for (const [name, needed] of Object.entries(node.dependentRequired ?? {})) {
    if (needed.length === 0) continue
    const missing = needed.map((one) => `!(${hasOwnText(value, one)})`).join('||')
    writer.line(`if(${hasOwnText(value, name)}&&(${missing}))${fail}`)
  }
  for (const [name, schema] of Object.entries(node.dependentSchemas ?? {})) {
    writer.line(`if(${hasOwnText(value, name)}){`)
    writer.check(schema, spot)
    writer.line('}')
  }
}

function writeCounts(writer: Writer, { minProperties, maxProperties }: NormalObject, { value, fail }: Spot): void {
  if (minProperties === undefined && maxProperties === undefined) return
  const count = writer.fresh('n')
  writer.line(`const ${count}=Object.keys(${value}).length`)
  if (minProperties !== undefined) writer.line(`if(${count}<${minProperties})${fail}`)
  if (maxProperties !== undefined) writer.line(`if(${count}>${maxProperties})${fail}`)
}

function writeProperties(writer: Writer, node: NormalObject, { value, fail, evaluated }: Spot): void {
  const required = new Set(node.required)
  for (const [name, schema] of Object.entries(node.properties ?? {})) {
    if (schema === true && evaluated === undefined) continue
    const property = writer.fresh('v')
    writer.line(`{const ${property}=${member(value, name)}`)
    // What is required has been found to be the object's own already.
    if (!required.has(name)) writer.line(`if(${property}!==undefined&&own.call(${value},${literal(name)}))`)
    writer.line('{')
    writer.check(schema, { value: property, fail })
    if (evaluated !== undefined) writer.line(`${evaluated}.parts.add(${literal(name)})`)
    writer.line('}}')
  }
}

/** The keywords that look at every name: patterns, the additional, and the names themselves. */
function writeEachName(writer: Writer, node: NormalObject, spot: Spot): void {
  const { value, fail, evaluated } = spot
  const patterns = Object.entries(node.patternProperties ?? {})
  const { additionalProperties: additional, propertyNames } = node
  const checksAdditional = additional !== undefined && additional !== true
  if (additional !== undefined && evaluated !== undefined) writer.line(`${evaluated}.all=true`)
  if (patterns.length === 0 && !checksAdditional && propertyNames === undefined) return
  const name = writer.fresh('k')
  writer.line(`for(const ${name} in ${value}){if(!own.call(${value},${name}))continue`)
  if (propertyNames !== undefined) writer.check(propertyNames, { value: name, fail })
  const known = checksAdditional ? writer.fresh('b') : undefined
  if (known !== undefined) writer.line(`let ${known}=${isDeclared(writer, name, node)}`)
  for (const [pattern, schema] of patterns) {
    writer.line(`if(${writer.constant(patternTest(pattern))}(${name})){`)
    if (known !== undefined) writer.line(`${known}=true`)
    if (evaluated !== undefined) writer.line(`${evaluated}.parts.add(${name})`)
    writeMember(writer, schema, `${value}[${name}]`, fail)
    writer.line('}')
  }
  if (known !== undefined && additional !== undefined) {
    writer.line(`if(!${known}){`)
    writeMember(writer, additional, `${value}[${name}]`, fail)
    writer.line('}')
  }
  writer.line('}')
}

function writeMember(writer: Writer, schema: NormalSchema, access: string, fail: string): void {
  if (typeof schema === 'boolean') {
    if (!schema) writer.line(fail)
    return
  }
  const item = writer.fresh('v')
  writer.line(`const ${item}=${access}`)
  writer.check(schema, { value: item, fail })
}

function isDeclared(writer: Writer, name: string, { properties }: NormalObject): string {
  const names = Object.keys(properties ?? {})
  if (names.length === 0) return 'false'
  if (names.length > 10) return `${writer.constant(new Set(names))}.has(${name})`
  return names.map((one) => `${name}===${literal(one)}`).join('||')
}

export function writeUnevaluatedProperties(
  writer: Writer,
  node: NormalObject,
  spot: Spot & { evaluated: string },
): void {
  const { value, fail, evaluated } = spot
  if (node.unevaluatedProperties === undefined) return
  const name = writer.fresh('k')
  writer.line(`for(const ${name} in ${value})if(own.call(${value},${name})&&!${evaluated}.has(${name})){`)
  writeMember(writer, node.unevaluatedProperties, `${value}[${name}]`, fail)
  writer.line('}')
  writer.line(`${evaluated}.all=true`)
}
