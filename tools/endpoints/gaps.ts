/** Finds endpoints without a handler, an SDK method or a conformance case, from the sources. */
import type { AnyRoute } from '@latchkey/contract'

interface Sources {
  /** The table of handlers. */
  readonly handlers: string
  readonly sdk: string
  readonly cases: string
}

/** @returns a sentence for each gap, which names the endpoint and where to add the missing part. */
export function findGaps(
  routes: readonly Pick<AnyRoute, 'name' | 'method' | 'path'>[],
  { handlers, sdk, cases }: Sources,
): readonly string[] {
  const asked = requestsIn(cases)
  return routes.flatMap(({ name, method, path }) => {
    // A key takes the rest of the path.
    const pattern = path.replace(/^\/v1/, '').replace(':Key', '.+').replace(/:\w+/g, '[^/]+')
    const place = new RegExp(`^${method} ${pattern}$`)
    const gaps: string[] = []
    if (!handlers.includes(`'${name}':`)) {
      gaps.push(`${name}: no handler; add one to packages/service/src, then run pnpm generate`)
    }
    if (!sdk.includes(`endpoint: '${name}'`)) {
      gaps.push(`${name}: no SDK method calls it; add one to packages/sdk/scripts/methods.ts`)
    }
    if (!new RegExp(`\\* Endpoint \`${name}\``).test(sdk)) {
      gaps.push(`${name}: no docstring of the SDK has a paragraph that begins with "Endpoint \`${name}\`"`)
    }
    if (!asked.some((request) => place.test(request))) {
      gaps.push(
        `${name}: no conformance case asks ${method} ${path}; add one to packages/conformance/src/cases`,
      )
    }
    return gaps
  })
}

/** Requests in a source: a method, and a path in which each inserted value is one segment. */
function requestsIn(source: string): readonly string[] {
  return [...source.matchAll(/'(GET|PUT|POST|DELETE)',\s*(?:'(\/[^']*)'|`(\/[^`]*)`)/g)].map(
    ([, method = '', plain = '', template = '']) => {
      const path = (plain || template).replace(/\$\{[^}]*\}/g, 'x')
      return `${method} ${path.split('?', 1)[0]}`
    },
  )
}
