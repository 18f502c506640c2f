// The types of TypeBox schemas, read from the marks that its types carry, without importing it.
// Types only. A codec counts as what it is encoded to, since TypeBox is not there to decode it.

/** Any schema of TypeBox 1: every kind has its name, and an unsafe one the type it stands for. */
export type TypeBoxLike = { readonly '~kind': string } | { readonly '~unsafe': unknown }

/** A schema of the older package, whose type lies open in `static`. */
export interface OlderTypeBox<T> {
  readonly static: T
  readonly params: unknown
}

export type FromTypeBox<S> = FromNode<S, object, never>

/** `Defs` are the definitions of the cyclic type around, `Seen` the names being followed: the second time is `unknown`. */
type FromNode<S, Defs, Seen extends string> = S extends { readonly '~unsafe': infer T }
  ? T
  : S extends { readonly '~kind': infer Kind }
    ? Kind extends keyof Plain
      ? Plain[Kind]
      : FromComposite<S, Defs, Seen>
    : unknown

interface Plain {
  readonly String: string
  readonly TemplateLiteral: string
  readonly Number: number
  readonly Integer: number
  readonly Boolean: boolean
  readonly Null: null
  readonly Never: never
}

type FromComposite<S, Defs, Seen extends string> = S extends {
  readonly '~kind': 'Object'
  readonly properties: infer P
}
  ? FromProperties<P, Defs, Seen>
  : S extends { readonly '~kind': 'Array'; readonly items: infer I }
    ? FromNode<I, Defs, Seen>[]
    : S extends { readonly '~kind': 'Union'; readonly anyOf: infer L extends readonly unknown[] }
      ? FromNode<L[number], Defs, Seen>
      : S extends { readonly '~kind': 'Intersect'; readonly allOf: infer L extends readonly unknown[] }
        ? FromAll<L, Defs, Seen>
        : S extends { readonly '~kind': 'Literal'; readonly const: infer V }
          ? V
          : S extends { readonly '~kind': 'Enum'; readonly enum: infer L extends readonly unknown[] }
            ? L[number]
            : S extends { readonly '~kind': 'Tuple'; readonly items: infer L extends readonly unknown[] }
              ? { [K in keyof L]: FromNode<L[K], Defs, Seen> }
              : S extends { readonly '~kind': 'Record'; readonly patternProperties: infer P }
                ? { [key: string]: FromNode<P[keyof P], Defs, Seen> }
                : FromReference<S, Defs, Seen>

type FromReference<S, Defs, Seen extends string> = S extends {
  readonly '~kind': 'Cyclic'
  readonly $defs: infer D
  readonly $ref: infer R extends string
}
  ? R extends keyof D
    ? FromNode<D[R], D, R>
    : unknown
  : S extends { readonly '~kind': 'Ref'; readonly $ref: infer R extends string }
    ? R extends Seen
      ? unknown
      : R extends keyof Defs
        ? FromNode<Defs[R], Defs, Seen | R>
        : unknown
    : unknown

type FromProperties<P, Defs, Seen extends string> = {
  [K in keyof P as P[K] extends Optional ? never : K]: FromNode<P[K], Defs, Seen>
} & { [K in keyof P as P[K] extends Optional ? K : never]?: FromNode<P[K], Defs, Seen> } extends infer T
  ? { [K in keyof T]: T[K] }
  : never

interface Optional {
  readonly '~optional': true
}

type FromAll<L extends readonly unknown[], Defs, Seen extends string> = L extends readonly [
  infer First,
  ...infer Others,
]
  ? FromNode<First, Defs, Seen> & FromAll<Others, Defs, Seen>
  : unknown
