// The types that flow from a schema into the code of a tool. Types only: nothing here exists at run time.
// Invariant: where a schema does not tell, the answer is `unknown` or `Record<string, unknown>`, never `any`.
import type { FromTypeBox, OlderTypeBox, TypeBoxLike } from './infer-typebox.ts'

/**
 * What comes out of a schema, after defaults, coercions and transforms. Of a tool's input schema: what `execute`
 * receives.
 */
export type InferOutput<S> = Infer<S, 'output'>

/**
 * What goes into a schema, before its library makes anything of it. Of a tool's output schema: what `execute` must
 * return.
 */
export type InferInput<S> = Infer<S, 'input'>

type Infer<S, Side extends 'input' | 'output'> = 0 extends 1 & S
  ? Record<string, unknown>
  : S extends { readonly '~standard': infer Standard }
    ? StandardType<Standard, Side>
    : S extends { readonly jsonSchema: unknown; readonly _type: infer T }
      ? KnownType<T>
      : S extends OlderTypeBox<infer T>
        ? T
        : S extends TypeBoxLike
          ? FromTypeBox<S>
          : S extends boolean | object
            ? FromDocument<S>
            : unknown

type StandardType<Standard, Side extends 'input' | 'output'> = Standard extends {
  readonly types?: infer Types
}
  ? NonNullable<Types> extends { readonly [K in Side]: infer T }
    ? KnownType<T>
    : unknown
  : unknown

type KnownType<T> = 0 extends 1 & T ? unknown : T

/** A document whose literal types were lost, as in a variable declared `JsonObject`, describes some object or other. */
type FromDocument<S> = IsWidened<S> extends true ? Record<string, unknown> : FromSchema<S>

type IsWidened<S> = S extends boolean
  ? false
  : string extends keyof S
    ? true
    : S extends { readonly type: infer T }
      ? string extends T
        ? true
        : false
      : false

/** The values of a literal JSON Schema (`as const`, or bound to a `const` type parameter). */
export type FromSchema<S> = FromNode<S, S, never>

/** `Root` is where local references point, `Seen` the references that are being followed: the second time is `unknown`. */
type FromNode<S, Root, Seen extends string> = S extends boolean
  ? S extends true
    ? unknown
    : never
  : Own<S, Root, Seen> &
      FromReference<S, Root, Seen> &
      (S extends { readonly anyOf: infer L extends readonly unknown[] } ? FromNode<L[number], Root, Seen> : unknown) &
      (S extends { readonly oneOf: infer L extends readonly unknown[] } ? FromNode<L[number], Root, Seen> : unknown) &
      (S extends { readonly allOf: infer L extends readonly unknown[] } ? FromAll<L, Root, Seen> : unknown)

/** What the node says by itself, its applicators aside. */
type Own<S, Root, Seen extends string> = S extends { readonly const: infer V }
  ? V
  : S extends { readonly enum: infer L extends readonly unknown[] }
    ? L[number]
    : S extends { readonly type: infer T }
      ? OfType<T extends readonly (infer One)[] ? One : T, S, Root, Seen>
      : S extends { readonly properties: unknown }
        ? FromObject<S, Root, Seen>
        : unknown

type OfType<T, S, Root, Seen extends string> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? FromArray<S, Root, Seen>
          : T extends 'object'
            ? FromObject<S, Root, Seen>
            : unknown

type FromObject<S, Root, Seen extends string> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromNode<P[K], Root, Seen> } & {
        -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromNode<P[K], Root, Seen>
      } & { [K in Exclude<RequiredOf<S>, keyof P>]: unknown } & (IsClosed<S> extends true
          ? unknown
          : { [key: string]: unknown })
    >
  : S extends { readonly additionalProperties: infer A }
    ? { [key: string]: FromNode<A, Root, Seen> }
    : { [key: string]: unknown }

/** Beside named properties, a schema for the others would have to agree with all of them: their type stays unknown. */
type IsClosed<S> = S extends { readonly additionalProperties: false } | { readonly unevaluatedProperties: false }
  ? true
  : false

type RequiredOf<S> = S extends { readonly required: infer R extends readonly string[] }
  ? string extends R[number]
    ? never
    : R[number]
  : never

type FromArray<S, Root, Seen extends string> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? [...Leading<S, FromEach<P, Root, Seen>>, ...Rest<S, Root, Seen>]
  : S extends { readonly items: infer I }
    ? FromNode<I, Root, Seen>[]
    : unknown[]

type FromEach<P extends readonly unknown[], Root, Seen extends string> = {
  -readonly [K in keyof P]: FromNode<P[K], Root, Seen>
}

/** Leading items must be there only as far as `minItems` asks; asked for in part, they count as optional. */
type Leading<S, Items extends readonly unknown[]> = S extends { readonly minItems: Items['length'] }
  ? Items
  : Partial<Items>

type Rest<S, Root, Seen extends string> = S extends { readonly items: infer I }
  ? I extends false
    ? []
    : FromNode<I, Root, Seen>[]
  : unknown[]

type FromAll<L extends readonly unknown[], Root, Seen extends string> = L extends readonly [
  infer First,
  ...infer Others,
]
  ? FromNode<First, Root, Seen> & FromAll<Others, Root, Seen>
  : unknown

type FromReference<S, Root, Seen extends string> = S extends { readonly $ref: infer R extends string }
  ? R extends Seen
    ? unknown
    : R extends '#'
      ? FromNode<Root, Root, Seen | R>
      : R extends `#/${infer Place}/${infer Name}`
        ? Place extends keyof Root
          ? Name extends keyof Root[Place]
            ? FromNode<Root[Place][Name], Root, Seen | R>
            : unknown
          : unknown
        : unknown
  : unknown

type Flat<T> = { [K in keyof T]: T[K] } & {}
