// Program text for the keywords of arrays.
import type { NormalObject } from '../normal.ts'
import type { Spot, Writer } from './writer.ts'

export function constrainsArray(node: NormalObject): boolean {
  const { prefixItems, items, contains, minItems, maxItems, uniqueItems } = node
  return [prefixItems, items, contains, minItems, maxItems, uniqueItems].some((keyword) => keyword !== undefined)
}

export function writeArray(writer: Writer, node: NormalObject, spot: Spot): void {
  const { value, fail, evaluated } = spot
  if (node.minItems !== undefined) writer.line(`if(${value}.length<${node.minItems})${fail}`)
  if (node.maxItems !== undefined) writer.line(`if(${value}.length>${node.maxItems})${fail}`)
  const prefix = node.prefixItems ?? []
  for (const [index, schema] of prefix.entries()) {
    if (schema === true) continue
    const item = writer.fresh('v')
    writer.line(`if(${value}.length>${index}){const ${item}=${value}[${index}]`)
    writer.check(schema, { value: item, fail })
    writer.line('}')
  }
  if (evaluated !== undefined && prefix.length > 0) {
    writer.line(`if(${evaluated}.before<${prefix.length})${evaluated}.before=${prefix.length}`)
  }
  writeItems(writer, node, spot, prefix.length)
  if (node.contains !== undefined) writeContains(writer, node, spot)
  if (node.uniqueItems) writer.line(`if(!hasUniqueItems(${value}))${fail}`)
}

function writeItems(writer: Writer, { items }: NormalObject, { value, fail, evaluated }: Spot, from: number): void {
  if (items === undefined) return
  if (items === false) writer.line(`if(${value}.length>${from})${fail}`)
  else if (items !== true) {
    const [index, item] = [writer.fresh('i'), writer.fresh('v')]
    writer.line(`for(let ${index}=${from};${index}<${value}.length;${index}++){const ${item}=${value}[${index}]`)
    writer.check(items, { value: item, fail })
    writer.line('}')
  }
  if (evaluated !== undefined) writer.line(`${evaluated}.all=true`)
}

function writeContains(writer: Writer, node: NormalObject, { value, fail, evaluated }: Spot): void {
  const { contains = true, minContains = 1, maxContains } = node
  const [index, item, count, branch] = [writer.fresh('i'), writer.fresh('v'), writer.fresh('n'), writer.fresh('L')]
  writer.line(`let ${count}=0`)
  writer.line(`for(let ${index}=0;${index}<${value}.length;${index}++){const ${item}=${value}[${index}]`)
  writer.line(`${branch}:{`)
  writer.check(contains, { value: item, fail: `break ${branch}` })
  writer.line(`${count}++`)
  if (evaluated !== undefined) writer.line(`${evaluated}.parts.add(${index})`)
  writer.line('}}')
  if (minContains > 0) writer.line(`if(${count}<${minContains})${fail}`)
  if (maxContains !== undefined) writer.line(`if(${count}>${maxContains})${fail}`)
}

export function writeUnevaluatedItems(writer: Writer, node: NormalObject, spot: Spot & { evaluated: string }): void {
  const { value, fail, evaluated } = spot
  if (node.unevaluatedItems === undefined) return
  const [index, item] = [writer.fresh('i'), writer.fresh('v')]
  writer.line(`for(let ${index}=0;${index}<${value}.length;${index}++)if(!${evaluated}.has(${index})){`)
  writer.line(`const ${item}=${value}[${index}]`)
  writer.check(node.unevaluatedItems, { value: item, fail })
  writer.line('}')
  writer.line(`${evaluated}.all=true`)
}
