/** Finds selectors, and branches of them, that no login can ever match. Decisions: auth methods. */
import { shorten } from '@latchkey/contract'
import { printTerm } from '../../filter/print-selector.ts'
import { attributeName, type Selector, type Term } from '../../filter/selector.ts'
import { type CheckedSelector, termHolds } from './check-selector.ts'

export interface SelectorFinding {
  /** `never_matches` concerns the whole selector, `branch_never_matches` one side of an `or`. */
  readonly code: 'never_matches' | 'branch_never_matches'
  readonly severity: 'warning' | 'info'
  readonly message: string
  readonly line: number
  readonly column: number
}

/**
 * Looks for terms that contradict each other. Has no false positives, but does not find every impossible
 * selector. @returns at most one finding for the whole selector, or one for each branch of an `or`.
 */
export function lintSelector(checked: CheckedSelector): SelectorFinding[] {
  const branches: SelectorFinding[] = []
  const conflict = findConflict(checked, { selector: checked.selector, is: true }, { known: [], branches })
  return conflict === undefined ? branches : [findingOf('never_matches', conflict)]
}

/** A part of the selector, and whether it must be true or false for the selector to match. */
interface Wanted<Part extends Selector = Selector> {
  readonly selector: Part
  readonly is: boolean
}

type Conflict = readonly [first: Wanted<Term>, second: Wanted<Term>]

interface Search {
  /** Terms whose values are already determined when this part is evaluated. */
  readonly known: readonly Wanted<Term>[]
  readonly branches: SelectorFinding[]
}

function findConflict(
  checked: CheckedSelector,
  part: Wanted,
  { known, branches }: Search,
): Conflict | undefined {
  const terms: Wanted<Term>[] = []
  const choices: (readonly Wanted[])[] = []
  collect(part, terms, choices)
  const all = [...known, ...terms]
  for (const [index, second] of terms.entries()) {
    const earlier = all.slice(0, known.length + index)
    const first = earlier.find((each) => contradicts(checked, each, second))
    if (first !== undefined) return [first, second]
  }
  for (const choice of choices) {
    const found: SelectorFinding[] = []
    const conflicts = choice.flatMap((branch) => {
      const conflict = findConflict(checked, branch, { known: all, branches: found })
      return conflict === undefined ? [] : [conflict]
    })
    const [first] = conflicts
    if (first !== undefined && conflicts.length === choice.length) return first
    branches.push(...found, ...conflicts.map((conflict) => findingOf('branch_never_matches', conflict)))
  }
  return undefined
}

/** Collects the terms that must all be true, and the alternatives of which at least one must be true. */
function collect({ selector, is }: Wanted, terms: Wanted<Term>[], choices: (readonly Wanted[])[]): void {
  if (selector.kind === 'term') {
    terms.push({ selector, is })
  } else if (selector.kind === 'not') {
    collect({ selector: selector.operand, is: !is }, terms, choices)
  } else {
    const operands = selector.operands.map((operand) => ({ selector: operand, is }))
    if ((selector.kind === 'and') === is) for (const operand of operands) collect(operand, terms, choices)
    else choices.push(operands)
  }
}

function contradicts(checked: CheckedSelector, a: Wanted<Term>, b: Wanted<Term>): boolean {
  return rulesOut(checked, a, b) || rulesOut(checked, b, a)
}

/** Whether the required value of the first term makes the required value of the second impossible. */
function rulesOut(checked: CheckedSelector, first: Wanted<Term>, second: Wanted<Term>): boolean {
  const isSaid = first.is !== first.selector.isNegated
  const isAsked = second.is !== second.selector.isNegated
  const { path, operator, value } = first.selector
  const other = second.selector
  const name = attributeName(path)
  const isSame = name === attributeName(other.path) && path.length === other.path.length
  if (isSame && operator === other.operator && value === other.value) return isSaid !== isAsked
  if (path.length === 1) {
    // A map that is empty, or lacks a key, has nothing to compare.
    const [root, key] = other.path
    if (root !== name || !isAsked || isSaid === (operator === 'in')) return false
    if (other.operator === 'empty') return false
    const asked = other.path.length === 1 ? other.value : key
    return operator === 'empty' || asked === value
  }
  if (!isSame || !isSaid) return false
  // An empty list contains nothing.
  if (operator === 'empty') return isAsked && other.operator === 'in'
  if (path[0] === 'list') return false
  if (operator === 'equal')
    return termHolds(checked, other, { texts: new Map([[name, value]]), lists: new Map() }) !== second.is
  // A text that contains `ab` also contains `a`.
  return operator === 'in' && other.operator === 'in' && !isAsked && value.includes(other.value)
}

function findingOf(code: SelectorFinding['code'], [first, second]: Conflict): SelectorFinding {
  const what = code === 'never_matches' ? 'the selector' : 'this side of the or'
  const severity = code === 'never_matches' ? 'warning' : 'info'
  const message = `${what} never matches: ${shown(first)} rules out ${shown(second)}`
  return { code, severity, message, ...second.selector.place }
}

function shown({ selector, is }: Wanted<Term>): string {
  return `${is ? '' : 'not '}${shorten(printTerm(selector))}`
}
