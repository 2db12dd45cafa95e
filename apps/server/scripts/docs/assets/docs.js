// Optional features of the page: filter operations, open the target of a link, copy, and show its own address.

const search = document.getElementById('search')
const menu = document.getElementById('menu')
const nav = document.querySelector('nav')
const operations = [...document.querySelectorAll('.operation')]
const links = new Map([...document.querySelectorAll('nav li')].map((item) => [item.dataset.for, item]))

document.body.classList.add('scripted')
search.hidden = false
menu.hidden = false
document.getElementById('origin').textContent = location.origin

const rows = [...document.querySelectorAll('.reference [data-search]')]
const references = [...document.querySelectorAll('.reference')]

/** Shows the operations, schemas and errors that contain every word of the filter. */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  let shown = 0
  for (const operation of operations) {
    const matches = words.every((word) => operation.dataset.search.includes(word))
    operation.hidden = !matches
    links.get(operation.id).hidden = !matches
    if (matches) shown += 1
  }
  for (const group of document.querySelectorAll('section.group')) {
    const isEmpty = !group.querySelector('.operation:not([hidden])')
    for (const part of document.querySelectorAll(`[data-group="${group.dataset.group}"]`))
      part.hidden = isEmpty
  }
  for (const row of rows) {
    row.hidden = !words.every((word) => row.dataset.search.includes(word))
    if (!row.hidden) shown += 1
  }
  for (const part of references)
    part.hidden = words.length > 0 && !part.querySelector('[data-search]:not([hidden])')
  for (const part of document.querySelectorAll('.intro, .other')) part.hidden = words.length > 0
  document.getElementById('nothing').hidden = shown > 0
}

/** Opens a collapsed part that the address points to, and clears a filter that hides it. */
function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target) return
  if (target.closest('[hidden]')) {
    search.value = ''
    filter()
  }
  if (target instanceof HTMLDetailsElement) target.open = true
  target.scrollIntoView()
}

function toggleMenu(isOpen) {
  nav.classList.toggle('open', isOpen)
  menu.setAttribute('aria-expanded', String(isOpen))
}

search.addEventListener('input', () => {
  filter()
  toggleMenu(search.value !== '')
})
search.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return
  const first = operations.find((operation) => !operation.hidden)
  if (first) location.hash = first.id
})
menu.addEventListener('click', () => toggleMenu(!nav.classList.contains('open')))
nav.addEventListener('click', (event) => {
  if (event.target.closest('a')) toggleMenu(false)
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key === '/' && !isTyping) {
    event.preventDefault()
    search.focus()
  }
  if (event.key === 'Escape' && isTyping) {
    search.value = ''
    filter()
    toggleMenu(false)
  }
})
addEventListener('hashchange', follow)
follow()

/** Marks the operation that is being read. */
const reading = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      for (const current of nav.querySelectorAll('[aria-current]')) current.removeAttribute('aria-current')
      links.get(target.id).querySelector('a').setAttribute('aria-current', 'true')
    }
  },
  { rootMargin: '0px 0px -80% 0px' },
)
for (const operation of operations) reading.observe(operation)

// The clipboard is only available to pages served over TLS or from this machine.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll('pre')) {
    const text = block.textContent
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
    block.append(button)
  }
}
