// What a command's exit code says. Scripts rely on it, so every command keeps to these three.
export const exitCodes = [
  { code: 0, means: 'fine: the call succeeded, the files are clean, the proof holds' },
  { code: 1, means: 'the thing asked about is bad: a call refused or pending, a file with errors, a schema refuted' },
  {
    code: 2,
    means:
      'wrong usage, a file or ledger that is missing or cannot be read, a question nobody can decide, or proviso itself failed',
  },
] as const

export type ExitCode = (typeof exitCodes)[number]['code']
