// The walk over a parsed rule: checks, bounds and compiles each node in one go.
import type { ASTNode } from '@marcbachmann/cel-js'
import { type Code, type RuleScope, sourceOf, Unacceptable } from './code.ts'
import { compileMember, compileVariable } from './compile-access.ts'
import { compileArithmetic, compileMinus } from './compile-arithmetic.ts'
import { compileCall } from './compile-call.ts'
import { compileList, compileLiteral, compileMap } from './compile-literals.ts'
import {
  compileChoice,
  compileEquality,
  compileIn,
  compileLogic,
  compileNot,
  compileOrder,
} from './compile-operators.ts'

export function compileExpression(node: ASTNode, scope: RuleScope): Code {
  switch (node.op) {
    case 'value':
      return compileLiteral(node)
    case 'id':
      return compileVariable(node, scope)
    case '.':
    case '[]':
      return compileMember(node, scope)
    case 'call':
    case 'rcall':
      return compileCall(node, scope)
    case 'list':
      return compileList(node, scope)
    case 'map':
      return compileMap(node, scope)
    case '?:':
      return compileChoice(node, scope)
    case '&&':
    case '||':
      return compileLogic(node, scope)
    case '!_':
      return compileNot(node, scope)
    case '-_':
      return compileMinus(node, scope)
    case '==':
    case '!=':
      return compileEquality(node, scope)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compileOrder(node, scope)
    case 'in':
      return compileIn(node, scope)
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return compileArithmetic(node, scope)
    default:
      throw new Unacceptable(node, `\`${sourceOf(node)}\` is not supported`)
  }
}
