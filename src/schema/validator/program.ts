// Writes the program of a validator: one function per definition, everything else in line, booleans only.
// Invariant: the program accepts exactly what the normal form accepts; failure leaves the branch at once.
import type { JsonValue } from '../../json/value.ts'
import { equalJson, hasUniqueItems } from '../equality.ts'
import { isLonger, isShorter } from '../measures.ts'
import type { NormalObject, NormalSchema, Preprocessed, TypeName } from '../normal.ts'
import { writeApplicators } from './applicators.ts'
import { constrainsArray, writeArray, writeUnevaluatedItems } from './arrays.ts'
import { constrainsObject, writeObject, writeUnevaluatedProperties } from './objects.ts'
import { repeatedDefinitions } from './repeated-definitions.ts'
import { constrainsNumber, constrainsString, typeCondition, writeNumber, writeString, writeValues } from './scalars.ts'
import type { Spot, Writer } from './writer.ts'

export type Program = (value: JsonValue) => boolean

/** V8 does not optimize very long functions: past this many schemas a part gets a function of its own. */
const maxSchemasInLine = 40

/**
 * Which parts of one object or array some keyword has already judged; what `unevaluated…` leaves out. One per value and
 * per schema that asks; a branch that fails drops its own.
 */
class Evaluated {
  all = false
  /** Items before this index. */
  before = 0
  readonly parts = new Set<string | number>()

  has(part: string | number): boolean {
    return this.all || (typeof part === 'number' && part < this.before) || this.parts.has(part)
  }

  merge(other: Evaluated): void {
    this.all ||= other.all
    this.before = Math.max(this.before, other.before)
    for (const part of other.parts) this.parts.add(part)
  }
}

const runtime = {
  own: Object.prototype.hasOwnProperty,
  equal: equalJson,
  hasUniqueItems,
  isShorter,
  isLonger,
  Evaluated,
}

export function buildProgram(schema: Preprocessed): Program {
  const constants: unknown[] = []
  const functions: string[] = []
  const definitions = new Map<string, string>()
  const pending: (() => void)[] = []
  const repeated = repeatedDefinitions(schema)
  const memos: string[] = []
  let names = 0

  const fresh = (prefix: string): string => `${prefix}${names++}`
  const constant = (value: unknown): string => `c${constants.push(value) - 1}`
  const start = defineFunction(schema.root, false)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) next()
  // Answers are kept during one call only; forgetting first also covers a call that ended in an exception.
  const forget = memos.map((memo) => `${memo}=undefined`).join(';')
  const text = [
    '"use strict"',
    `const {${Object.keys(runtime).join(',')}}=runtime`,
    ...constants.map((_, index) => `const c${index}=constants[${index}]`),
    ...memos.map((memo) => `let ${memo}`),
    ...functions,
    memos.length === 0 ? `return ${start}` : `return (d)=>{${forget};const r=${start}(d);${forget};return r}`,
  ].join('\n')
  const build = new Function('runtime', 'constants', text) as (runtime: object, constants: unknown[]) => Program
  return build(runtime, constants)

  function definition(key: string, recording: boolean): string {
    const identity = `${recording} ${key}`
    const known = definitions.get(identity)
    if (known !== undefined) return known
    const body = defineFunction(schema.defs.get(key) ?? true, recording)
    const name = repeated.has(key) ? remember(body, recording) : body
    definitions.set(identity, name)
    return name
  }

  /** A function that asks the body once per value. */
  function remember(body: string, recording: boolean): string {
    const [name, memo] = [fresh('f'), fresh('m')]
    memos.push(memo)
    const ask = recording ? `const o=new Evaluated();r=${body}(d,o)?o:null;m.set(d,r)` : `r=${body}(d);m.set(d,r)`
    const answer = recording ? 'if(r===null)return false;e.merge(r);return true' : 'return r'
    functions.push(
      `function ${name}(d${recording ? ',e' : ''}){const m=${memo}??=new Map();let r=m.get(d);if(r===undefined){${ask}}${answer}}`,
    )
    return name
  }

  /** The body is written later, so that functions may call each other in circles. */
  function defineFunction(node: NormalSchema, recording: boolean): string {
    const name = fresh('f')
    pending.push(() => {
      const lines: string[] = []
      const writer = createWriter(lines)
      lines.push(`function ${name}(d${recording ? ',e' : ''}){`)
      writer.check(node, { value: 'd', fail: 'return false', ...(recording ? { evaluated: 'e' } : {}) })
      lines.push('return true}')
      functions.push(lines.join('\n'))
    })
    return name
  }

  function createWriter(lines: string[]): Writer {
    let schemas = 0
    const writer: Writer = {
      line: (text) => void lines.push(text),
      fresh,
      constant,
      definition,
      asserting: schema.formats === 'assert',
      check: (node, spot) => {
        if (node === true) return
        if (node === false) return void lines.push(spot.fail)
        if (++schemas > maxSchemasInLine && isLarge(node)) call(writer, defineFunction(node, recordsAt(spot)), spot)
        else writeNode(writer, node, spot)
      },
    }
    return writer
  }
}

function recordsAt(spot: Spot): boolean {
  return spot.evaluated !== undefined
}

function call(writer: Writer, name: string, { value, fail, evaluated }: Spot): void {
  writer.line(`if(!${name}(${value}${evaluated === undefined ? '' : `,${evaluated}`}))${fail}`)
}

function isLarge(node: NormalObject): boolean {
  const { properties, items, allOf, anyOf, oneOf, patternProperties, additionalProperties } = node
  return [properties, items, allOf, anyOf, oneOf, patternProperties, additionalProperties].some(
    (keyword) => typeof keyword === 'object',
  )
}

function writeNode(writer: Writer, node: NormalObject, outer: Spot): void {
  const asks = node.unevaluatedProperties !== undefined || node.unevaluatedItems !== undefined
  const evaluated = asks ? writer.fresh('e') : outer.evaluated
  const spot: Spot = { value: outer.value, fail: outer.fail, ...(evaluated === undefined ? {} : { evaluated }) }
  if (asks) writer.line(`const ${evaluated}=new Evaluated()`)
  if (node.$ref !== undefined) call(writer, writer.definition(node.$ref, recordsAt(spot)), spot)
  if (node.type !== undefined) writer.line(`if(!(${typeCondition(node.type, spot.value)}))${spot.fail}`)
  writeValues(writer, node, spot)
  writeByType(writer, node, spot)
  writeApplicators(writer, node, spot)
  if (!asks || evaluated === undefined) return
  writeUnevaluated(writer, node, { ...spot, evaluated })
  if (outer.evaluated !== undefined) writer.line(`${outer.evaluated}.merge(${evaluated})`)
}

/** Each type's keywords behind a test for it, which falls away where `type` admits no other. */
function writeByType(writer: Writer, node: NormalObject, spot: Spot): void {
  const parts: readonly (readonly [TypeName, boolean, typeof writeNumber])[] = [
    ['number', constrainsNumber(node, writer.asserting), writeNumber],
    ['string', constrainsString(node, writer.asserting), writeString],
    ['array', constrainsArray(node), writeArray],
    ['object', constrainsObject(node), writeObject],
  ]
  for (const [type, constrains, write] of parts) {
    if (!constrains || !admits(node, type)) continue
    const certain = node.type?.every((one) => one === type || (one === 'integer' && type === 'number')) === true
    writer.line(certain ? '{' : `if(${typeCondition([type], spot.value)}){`)
    write(writer, node, spot)
    writer.line('}')
  }
}

function writeUnevaluated(writer: Writer, node: NormalObject, spot: Spot & { evaluated: string }): void {
  writer.line(`if(${typeCondition(['array'], spot.value)}){`)
  writeUnevaluatedItems(writer, node, spot)
  writer.line(`}else if(${typeCondition(['object'], spot.value)}){`)
  writeUnevaluatedProperties(writer, node, spot)
  writer.line('}')
}

function admits({ type }: NormalObject, name: TypeName): boolean {
  return type === undefined || type.includes(name) || (name === 'number' && type.includes('integer'))
}
