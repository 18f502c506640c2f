// The code behind look_up_rate_v1.tool.yaml: a tool file names a module and an export.

const rates: ReadonlyMap<string, number> = new Map([
  ['USD', 1.16],
  ['CHF', 0.93],
])

export function lookUpRate({ currency }: { readonly currency: string }): { readonly rate: number } {
  return { rate: rates.get(currency) ?? 1 }
}
