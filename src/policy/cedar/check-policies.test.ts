import { describe, expect, test } from 'vitest'
import { closedObject, trialPolicies, trialTool } from '../../../test/policy/trial-tool.ts'
import { schemaText } from './cedar-schema.ts'
import { checkPolicies } from './check-policies.ts'

const charge = trialTool(
  'charge_card',
  closedObject({ amount: { type: 'integer' }, note: { type: 'string' } }, ['amount']),
  {
    effect: 'CRITICAL_MUTATION',
  },
)
const mail = trialTool('send_mail', {
  type: 'object',
  properties: { to: { type: 'array', items: { type: 'string' } }, meta: {} },
})

async function problemsOf(text: string, tools = [charge, mail]): Promise<readonly string[]> {
  const problems = checkPolicies(await trialPolicies(text), tools)
  return problems.map(({ level, policy, line, column, message }) => `${level} ${policy} ${line}:${column} ${message}`)
}

describe('Checking policies', () => {
  test('finds nothing wrong with policies that fit', async () => {
    const text = `@id("a") forbid(principal, action, resource) when { context.args has amount && context.args.amount > 100 };
      @id("b") permit(principal in Role::"support", action in Action::"effect:READ_ONLY", resource);
      @id("c") forbid(principal, action == Action::"send_mail", resource) when { context.args has to && context.args.to.contains("x") };`
    expect(await problemsOf(text)).toEqual([])
  })

  test('names the unguarded argument, its place and the tool', async () => {
    const text =
      '@id("a")\nforbid(principal, action == Action::"charge_card", resource)\n  when { context.args.note == "x" };'
    expect(await problemsOf(text)).toEqual([
      expect.stringMatching(/^error a 3:10 .*optional attribute.*\(calling charge_card\)\.$/),
    ])
  })

  test('names what one tool lacks and another has', async () => {
    const text = '@id("a") forbid(principal, action, resource) when { context.args.amount > 1 };'
    expect(await problemsOf(text)).toEqual([
      expect.stringMatching(/error a .*amount.*not found.*\(calling send_mail\)/),
    ])
  })

  test('refuses types that can never be equal, and entity types that do not exist', async () => {
    expect(
      await problemsOf(
        '@id("a") forbid(principal, action == Action::"charge_card", resource) when { context.args.amount == "1" };',
      ),
    ).toEqual([expect.stringMatching(/^error a .*not compatible/)])
    expect(await problemsOf('@id("a") forbid(principal is Robot, action, resource);')).toContainEqual(
      expect.stringMatching(/^error a 1:30 unrecognized entity type `Robot`/),
    )
  })

  test('warns of tools that are not here, with the nearest that is', async () => {
    const problems = await problemsOf('@id("a") forbid(principal, action == Action::"chrage_card", resource);')
    expect(problems).toEqual([
      'warning a 1:1 This policy can never apply: it is about tools that are not here.',
      'warning a 1:1 Action::"chrage_card" is no tool that is here. Did you mean "charge_card"?',
    ])
  })

  test('warns of a policy that is false for every tool', async () => {
    const text =
      '@id("a") forbid(principal, action, resource) when { context.args has iban && context.args.iban == "x" };'
    expect(await problemsOf(text)).toEqual([
      'warning a 1:1 This policy can never apply: it is false for every call of every tool.',
    ])
  })

  test('warns of letters that look like others', async () => {
    const text = '@id("a") forbid(principal, action, resource) when { principal.tenant == "\u0430cme" };'
    expect(await problemsOf(text)).toEqual([expect.stringMatching(/^warning a 1:\d+ .*mixed scripts/)])
  })

  test('reports where there are no tools at all', async () => {
    expect(await problemsOf('@id("a") permit(principal, action, resource);', [])).toEqual([
      'warning a 1:1 There are no tools that this policy could speak about.',
    ])
  })
})

describe('The schema for those who write policies', () => {
  test('shows each tool as an action with its arguments, and says what is seen only in part', async () => {
    const { engine } = await trialPolicies('')
    const text = schemaText(engine, [charge, mail])
    expect(text).toContain('action "charge_card" in [Action::"effect:CRITICAL_MUTATION"] appliesTo')
    expect(text).toContain('amount: Long')
    expect(text).toContain('note?: String')
    expect(text).toMatch(/@doc\("As canonical JSON text: it may be of several types\."\)\s+meta\?: String/)
    expect(text).toMatch(/@doc\("Order and repetition are not seen\."\)\s+to\?: Set</)
    expect(text).toMatch(/@doc\("Other keys may be there; context.unseen names them\."\)\s+args:/)
  })
})
