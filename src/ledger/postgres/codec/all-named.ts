// A type for code that writes the fields of a record one by one: a new field does not compile until it is given its place as well.

/** T, where N are all of its names. */
export type AllNamed<T, N extends keyof T> = [Exclude<keyof T, N>] extends [never] ? T : never
