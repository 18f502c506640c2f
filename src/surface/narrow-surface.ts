// Narrower tools for one tenant: a schema per tool that is proven narrower than the tool's own. The model is shown the narrower
// one, and both are enforced. A schema that is not proven narrower is refused before anything is offered.

import { Fault } from '../contract/fault.ts'
import { compileSchema } from '../contract/tool/compile-tool.ts'
import type { Surface } from '../contract/tool/surface.ts'
import type { CompiledSchema, Tool } from '../contract/tool/tool.ts'
import { canonicalize } from '../json/canonical.ts'
import { hashJson } from '../json/hash.ts'
import type { JsonObject } from '../json/value.ts'
import { inhabitsBoth } from '../subschema/inhabits.ts'
import { provePreprocessed } from '../subschema/is-subschema.ts'
import { madeSurface } from './build-surface.ts'

/** By tenant, then by tool: the JSON Schema that the arguments must obey in addition to the contract's own. */
export type NarrowOptions = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>

export interface Narrowing {
  /** Tools that are named, with the tenant that names each. */
  readonly named: readonly { readonly tenant: string; readonly tool: string }[]
  /** The tool as this tenant gets it. Throws the Fault that registration would where the schema is not narrower. */
  tool(tenant: string, tool: Tool): Tool
  surface(tenant: string, surface: Surface): Surface
}

export function createNarrowing(options: NarrowOptions = {}): Narrowing {
  const schemas = new Map(
    Object.entries(options).map(([tenant, tools]) => [tenant, new Map(Object.entries(tools))] as const),
  )
  const names = new Set([...schemas.values()].flatMap((tools) => [...tools.keys()]))
  const narrowed = new Map<string, WeakMap<Tool, Tool>>()
  const surfaces = new Map<string, WeakMap<Surface, Surface>>()

  const narrowing: Narrowing = {
    named: [...schemas].flatMap(([tenant, tools]) => [...tools.keys()].map((tool) => ({ tenant, tool }))),
    tool(tenant, tool) {
      const schema = schemas.get(tenant)?.get(tool.contract.identity.name)
      // A surface may have been taken for another tenant, and then the tool is that tenant's.
      const own = tool.narrowed?.own ?? tool
      if (schema === undefined) return own
      return kept(narrowed, tenant, own, () => narrowTool(own, schema, tenant))
    },
    surface(tenant, surface) {
      if (names.size === 0) return surface
      // Tenants that are not named are offered the same.
      return kept(surfaces, schemas.has(tenant) ? tenant : others, surface, () => {
        const entries = new Map(surface.entries)
        for (const name of names) {
          const entry = entries.get(name)
          if (entry !== undefined) entries.set(name, { ...entry, tool: narrowing.tool(tenant, entry.tool) })
        }
        return madeSurface({ ...surface, entries })
      })
    },
  }
  return narrowing
}

/** No tenant has an empty name. */
const others = ''

function kept<T extends object>(known: Map<string, WeakMap<T, T>>, tenant: string, given: T, make: () => T): T {
  const own = known.get(tenant) ?? new WeakMap<T, T>()
  known.set(tenant, own)
  const made = own.get(given) ?? make()
  own.set(given, made)
  return made
}

function narrowTool(tool: Tool, schema: JsonObject, tenant: string): Tool {
  const { name } = tool.contract.identity
  const refuse = (why: string) =>
    new Fault('registration_refused', `The schema that narrows ${name} for tenant ${tenant} is refused. ${why}`)
  const compiled = compileSchema(schema, '', tool.binding.dialect)
  if (!compiled.ok) throw refuse(compiled.problems.map(({ pointer, message }) => `${pointer}: ${message}`).join(' '))
  const { form } = compiled.schema
  const proof = provePreprocessed(form, tool.input.form, undefined, { r: 'It', l: 'the tool' })
  if (proof.verdict === 'refuted') {
    const witness = canonicalize(proof.witness).slice(0, 200)
    throw refuse(`It is not narrower: it accepts ${witness}, which the tool refuses. ${proof.reason}`)
  }
  if (proof.verdict === 'unsupported')
    throw refuse(`Whether it is narrower cannot be told (${proof.construct}): ${proof.reason}.`)
  if (inhabitsBoth(form, { type: ['object'] }).verdict === 'empty') throw refuse('No arguments satisfy it.')
  return {
    ...tool,
    input: bothOf(compiled.schema, tool.input),
    narrowed: { schema, hash: hashJson(schema), own: tool },
  }
}

/** The narrower schema is asked first; what the contract itself refuses is refused even if a proof said otherwise. */
function bothOf(narrow: CompiledSchema, own: CompiledSchema): CompiledSchema {
  return {
    form: narrow.form,
    matches: (value) => narrow.matches(value) && own.matches(value),
    explain: (value, sensitive) => {
      const errors = narrow.explain(value, sensitive)
      return errors.length > 0 ? errors : own.explain(value, sensitive)
    },
  }
}
