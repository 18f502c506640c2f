// Program text for schemas applied to the same value: allOf, anyOf, oneOf, not, if.
// Invariant: a branch records what it judged only if it holds, and every branch is tried where an `unevaluated…` keyword asks.
import type { NormalObject, NormalSchema } from '../normal.ts'
import type { Spot, Writer } from './writer.ts'

export function writeApplicators(writer: Writer, node: NormalObject, spot: Spot): void {
  for (const schema of node.allOf ?? []) writer.check(schema, spot)
  if (node.anyOf !== undefined) {
    if (spot.evaluated === undefined) writeAny(writer, node.anyOf, spot)
    else writeEveryMatch(writer, node.anyOf, spot.evaluated, spot)
  }
  if (node.oneOf !== undefined) writeOne(writer, node.oneOf, spot)
  if (node.not !== undefined) writeNot(writer, node.not, spot)
  if (node.if !== undefined) writeCondition(writer, node.if, node, spot)
}

function writeAny(writer: Writer, schemas: readonly NormalSchema[], { value, fail }: Spot): void {
  const done = writer.fresh('L')
  writer.line(`${done}:{`)
  for (const schema of schemas) {
    const branch = writer.fresh('L')
    writer.line(`${branch}:{`)
    writer.check(schema, { value, fail: `break ${branch}` })
    writer.line(`break ${done}}`)
  }
  writer.line(`${fail}}`)
}

function writeEveryMatch(writer: Writer, schemas: readonly NormalSchema[], outer: string, { value, fail }: Spot): void {
  const matched = writer.fresh('b')
  writer.line(`let ${matched}=false`)
  for (const schema of schemas) {
    const [branch, evaluated] = [writer.fresh('L'), writer.fresh('e')]
    writer.line(`${branch}:{const ${evaluated}=new Evaluated()`)
    writer.check(schema, { value, fail: `break ${branch}`, evaluated })
    writer.line(`${matched}=true;${outer}.merge(${evaluated})}`)
  }
  writer.line(`if(!${matched})${fail}`)
}

function writeOne(writer: Writer, schemas: readonly NormalSchema[], { value, fail, evaluated: outer }: Spot): void {
  const [count, kept] = [writer.fresh('n'), writer.fresh('e')]
  writer.line(`let ${count}=0`)
  if (outer !== undefined) writer.line(`let ${kept}`)
  for (const schema of schemas) {
    const [branch, evaluated] = [writer.fresh('L'), writer.fresh('e')]
    writer.line(`${branch}:{`)
    if (outer !== undefined) writer.line(`const ${evaluated}=new Evaluated()`)
    writer.check(schema, { value, fail: `break ${branch}`, ...(outer === undefined ? {} : { evaluated }) })
    if (outer !== undefined) writer.line(`${kept}=${evaluated}`)
    writer.line(`${count}++}`)
    writer.line(`if(${count}>1)${fail}`)
  }
  writer.line(`if(${count}!==1)${fail}`)
  if (outer !== undefined) writer.line(`${outer}.merge(${kept})`)
}

function writeNot(writer: Writer, schema: NormalSchema, { value, fail }: Spot): void {
  const branch = writer.fresh('L')
  writer.line(`${branch}:{`)
  writer.check(schema, { value, fail: `break ${branch}` })
  writer.line(`${fail}}`)
}

function writeCondition(writer: Writer, condition: NormalSchema, node: NormalObject, spot: Spot): void {
  const { value, evaluated: outer } = spot
  const { then: yes = true, else: no = true } = node
  if (outer === undefined && yes === true && no === true) return
  const [branch, holds, evaluated] = [writer.fresh('L'), writer.fresh('b'), writer.fresh('e')]
  writer.line(`let ${holds}=false`)
  writer.line(`${branch}:{`)
  if (outer !== undefined) writer.line(`const ${evaluated}=new Evaluated()`)
  writer.check(condition, { value, fail: `break ${branch}`, ...(outer === undefined ? {} : { evaluated }) })
  if (outer !== undefined) writer.line(`${outer}.merge(${evaluated})`)
  writer.line(`${holds}=true}`)
  writer.line(`if(${holds}){`)
  writer.check(yes, spot)
  writer.line('}else{')
  writer.check(no, spot)
  writer.line('}')
}
