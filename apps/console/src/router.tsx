/** The router. Each folder of pages exports its routes, which are listed here. */
import { createRootRoute, createRouter, retainSearchParams } from '@tanstack/react-router'
import { askRoutes } from './ask/routes.tsx'
import { catalogRoutes } from './catalog/routes.tsx'
import { datacenterRoutes } from './datacenters/routes.tsx'
import { homeRoutes } from './home/routes.tsx'
import { intentionRoutes } from './intentions/routes.tsx'
import { kvRoutes } from './kv/routes.tsx'
import { lockRoutes } from './locks/routes.tsx'
import { loginMethodRoutes } from './login-methods/routes.tsx'
import { namespaceRoutes } from './namespaces/routes.tsx'
import { policyRoutes } from './policies/routes.tsx'
import { roleRoutes } from './roles/routes.tsx'
import { type NamespaceSearch, readNamespaceSearch } from './session/namespace.ts'
import { Frame } from './shell/frame.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { RouteFailure } from './shell/route-failure.tsx'
import { tokenRoutes } from './tokens/routes.tsx'
import { Skeleton } from './ui/feedback/states.tsx'
import { upgradeRoutes } from './upgrade/routes.tsx'

export const rootRoute = createRootRoute({
  component: Frame,
  notFoundComponent: NotFoundPage,
  validateSearch: readNamespaceSearch,
  // Links stay in the namespace of the page that they are on.
  search: { middlewares: [retainSearchParams<NamespaceSearch>(['ns'])] },
})

const routeTree = rootRoute.addChildren([
  // One folder of pages per line.
  ...askRoutes(rootRoute),
  ...homeRoutes(rootRoute),
  ...kvRoutes(rootRoute),
  ...lockRoutes(rootRoute),
  ...catalogRoutes(rootRoute),
  ...intentionRoutes(rootRoute),
  ...upgradeRoutes(rootRoute),
  ...datacenterRoutes(rootRoute),
  ...loginMethodRoutes(rootRoute),
  ...namespaceRoutes(rootRoute),
  ...tokenRoutes(rootRoute),
  ...policyRoutes(rootRoute),
  ...roleRoutes(rootRoute),
])

export const router = createRouter({
  routeTree,
  basepath: '/ui',
  defaultPreload: 'intent',
  // Keyed by record: a form, or a secret on screen, belongs to one record only.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
  defaultErrorComponent: RouteFailure,
  defaultPendingComponent: () => <Skeleton />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
