// A schema that takes anything: what a server sends is read by hand, and not by what the SDK expects of it.

export const whatever = {
  '~standard': { version: 1, vendor: 'proviso', validate: (value: unknown) => ({ value }) },
} as const
