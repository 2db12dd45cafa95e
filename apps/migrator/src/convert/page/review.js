/* The review of a conversion: accept, reject and rename, then download the result. The page makes no requests. */
/* global COMMANDS */
;(() => {
  const plan = JSON.parse(document.getElementById('plan').textContent)
  const parts = JSON.parse(document.getElementById('parts').textContent)
  const storageKey = `latchkey-conversion ${document.documentElement.dataset.digest}`
  const GROUPS_SHOWN = 50
  const TOKENS_SHOWN = 100
  const MAX = 128
  // Policies and roles may have the same name.
  const kinds = [plan.policies, plan.roles]
  const records = kinds.flat()
  const kindOf = new Map(kinds.flatMap((kind) => kind.map((record) => [record, kind])))
  const policyByName = new Map(plan.policies.map((policy) => [policy.name, policy]))
  const roleByName = new Map(plan.roles.map((role) => [role.name, role]))
  const proposed = new Map(records.map((record) => [record.id, record.name]))
  const state = load()
  let shown = GROUPS_SHOWN
  /** Counts the names of a kind, ignoring case. */
  const usedNames = new Map()

  /** Decisions survive a reload if the browser stores data for local files. */
  function load() {
    const rejected = plan.groups.flatMap((group) => (group.rejected ? [group.id] : []))
    const fresh = { names: {}, rejected }
    try {
      return { ...fresh, ...JSON.parse(localStorage.getItem(storageKey)) }
    } catch {
      return fresh
    }
  }

  function save() {
    try {
      localStorage.setItem(storageKey, JSON.stringify(state))
    } catch {
      // Without storage the decisions last as long as the page.
    }
  }

  const nameOf = (record) => state.names[record.id] ?? record.name

  function countNames() {
    for (const kind of kinds) {
      const used = new Map()
      for (const record of kind) {
        const key = nameOf(record).toLowerCase()
        used.set(key, (used.get(key) ?? 0) + 1)
      }
      usedNames.set(kind, used)
    }
  }

  /** The plan as decided: new names, and which groups are rejected. */
  function decided() {
    const [policies, roles] = kinds.map(
      (kind) => new Map(kind.map((record) => [record.name, nameOf(record)])),
    )
    const rename = (list, names) => list.map((name) => names.get(name) ?? name)
    return {
      ...plan,
      policies: plan.policies.map((policy) => ({ ...policy, name: nameOf(policy) })),
      roles: plan.roles.map((role) => ({
        ...role,
        name: nameOf(role),
        policies: rename(role.policies, policies),
      })),
      groups: plan.groups.map((group) => ({
        ...group,
        rejected: state.rejected.includes(group.id),
        policies: rename(group.policies, policies),
        roles: rename(group.roles, roles),
      })),
    }
  }

  /** The problem with a name; empty for a valid name. */
  function problemOf(record, name) {
    if (!/^[A-Za-z0-9_-]+$/.test(name)) return 'Use letters, digits, - and _.'
    if (name.length > MAX) return `Use at most ${MAX} characters.`
    const key = name.toLowerCase()
    if (key === 'global-management') return 'This name is built in.'
    const isTaken = usedNames.get(kindOf.get(record)).get(key) > 1
    return isTaken ? 'This name is taken.' : ''
  }

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
    made.append(...children)
    return made
  }

  const count = (number, noun) => `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`

  function nameField(record, what) {
    const input = element('input', { type: 'text', spellcheck: 'false', autocomplete: 'off' })
    input.value = nameOf(record)
    const problem = element('output', { class: 'critical' })
    const check = () => {
      problem.textContent = problemOf(record, input.value)
      input.setAttribute('aria-invalid', String(problem.textContent !== ''))
    }
    input.addEventListener('input', () => {
      if (input.value === proposed.get(record.id)) delete state.names[record.id]
      else state.names[record.id] = input.value
      countNames()
      check()
      update()
    })
    check()
    return element('label', { class: 'review-name' }, `${what} `, input, ' ', problem)
  }

  function policyPart(policy) {
    return element('div', {}, nameField(policy, 'Policy'), element('pre', {}, policy.rules))
  }

  function groupBody(group) {
    const roles = group.roles.map((name) => roleByName.get(name))
    const names = new Set([...group.policies, ...roles.flatMap((role) => role.policies)])
    const tokens = group.tokens.slice(0, TOKENS_SHOWN).map((token) => {
      const label = token.name === '' ? 'without name' : token.name
      const key = token.accessor ?? `ID hash ${token.idHash}`
      return element(
        'li',
        {},
        label,
        ' ',
        element('small', {}, `${key}, token ${token.position}, line ${token.line}`),
      )
    })
    const more = group.tokens.length - tokens.length
    if (more > 0) tokens.push(element('li', {}, `and ${count(more, 'more token')}`))
    return [
      ...roles.map((role) => element('div', {}, nameField(role, 'Role'))),
      ...[...names].map((name) => policyPart(policyByName.get(name))),
      element('h3', {}, 'Tokens'),
      element('ul', { class: 'review-tokens' }, ...tokens),
    ]
  }

  function groupView(group) {
    const box = element('input', { type: 'checkbox', 'aria-label': `Convert ${group.name}` })
    box.checked = !state.rejected.includes(group.id)
    const texts = group.texts > 1 ? `, ${count(group.texts, 'text')} with one meaning` : ''
    const note = element('small', {}, `${count(group.tokens.length, 'token')}${texts}`)
    const details = element(
      'details',
      { class: 'review-group' },
      element('summary', {}, element('b', {}, group.name), ' ', note),
    )
    const view = element(
      'div',
      { class: 'review-row' },
      element('label', { class: 'review-accept' }, box, ' convert'),
      details,
    )
    const mark = () => view.classList.toggle('review-rejected', !box.checked)
    box.addEventListener('change', () => {
      state.rejected = state.rejected.filter((id) => id !== group.id)
      if (!box.checked) state.rejected.push(group.id)
      mark()
      update()
    })
    // The body of a group is rendered when it is opened: there may be a hundred thousand groups.
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1) details.append(...groupBody(group))
    })
    mark()
    return view
  }

  const list = document.getElementById('groups')
  const filter = document.getElementById('filter')
  const which = document.getElementById('which')
  const more = document.getElementById('more')

  function matching() {
    const text = filter.value.toLowerCase()
    return plan.groups.filter((group) => {
      const isRejected = state.rejected.includes(group.id)
      if ((which.value === 'accepted' && isRejected) || (which.value === 'rejected' && !isRejected))
        return false
      if (text === '') return true
      const linked = [...group.policies, ...group.roles.flatMap((name) => roleByName.get(name).policies)]
      const parts = [
        group.name,
        ...group.roles,
        ...linked,
        ...linked.map((name) => policyByName.get(name).rules),
      ]
      return (
        parts.some((part) => part.toLowerCase().includes(text)) ||
        group.tokens.some((token) => token.name.toLowerCase().includes(text) || token.accessor === text)
      )
    })
  }

  function render() {
    const found = matching()
    list.replaceChildren(...found.slice(0, shown).map(groupView))
    more.hidden = found.length <= shown
    document.getElementById('found').textContent =
      `${count(found.length, 'group')} of ${plan.groups.length.toLocaleString('en-US')}`
  }

  const buttons = [...document.querySelectorAll('button[data-file]')]

  function update() {
    save()
    const { groups, policies, roles } = COMMANDS.acceptedPart(decided())
    const tokens = groups.reduce((sum, group) => sum + group.tokens.length, 0)
    const wrong = records.filter((record) => problemOf(record, nameOf(record)) !== '').length
    const left = plan.groups.length - groups.length
    const rest =
      left === 0 ? '' : ` ${count(left, 'group')} rejected: the rights of their tokens end with 1.11.`
    document.getElementById('summary').textContent =
      wrong > 0
        ? `${count(wrong, 'name')} to correct before anything can be downloaded.`
        : `Converts ${count(tokens, 'token')} in ${count(groups.length, 'group')} with ${policies.length.toLocaleString('en-US')} policies and ${count(roles.length, 'role')}.${rest}`
    for (const button of buttons) button.disabled = wrong > 0
  }

  function decisions() {
    const pick = (from) =>
      Object.fromEntries(from.flatMap(({ id }) => (state.names[id] ? [[id, state.names[id]]] : [])))
    return { format: 1, policies: pick(plan.policies), roles: pick(plan.roles), rejected: state.rejected }
  }

  const FILES = {
    'apply-latchkey.sh': () => COMMANDS.latchkeyScript(decided(), parts),
    'apply-consul.sh': () => COMMANDS.consulScript(decided(), parts),
    'names.json': () => `${JSON.stringify(decisions(), null, 2)}\n`,
  }

  for (const button of buttons) {
    button.addEventListener('click', () => {
      const text = FILES[button.dataset.file]()
      const link = element('a', { download: button.dataset.file })
      link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
      link.click()
      URL.revokeObjectURL(link.href)
    })
  }

  for (const input of [filter, which]) {
    input.addEventListener('input', () => {
      shown = GROUPS_SHOWN
      render()
    })
  }
  more.addEventListener('click', () => {
    shown += GROUPS_SHOWN
    render()
  })
  countNames()
  render()
  update()
})()
