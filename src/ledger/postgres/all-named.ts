/** T, where N are all of its names: what writes its fields one by one does not compile until a new one is given its place as well. */
export type AllNamed<T, N extends keyof T> = [Exclude<keyof T, N>] extends [never] ? T : never
