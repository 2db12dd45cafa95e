/** The router, with every page: a page loads when somebody opens it. */
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  RouterProvider,
  retainSearchParams,
} from '@tanstack/react-router'
import { readQuestion } from './ask/question.ts'
import { readCatalogSearch } from './catalog/health.ts'
import { readIntentionSearch } from './intentions/intention-search.ts'
import { readKvSearch } from './kv/paths.ts'
import { type NamespaceSearch, readNamespaceSearch } from './session/namespace.ts'
import { NotFoundPage, RouteFailure } from './shell/failure-pages.tsx'
import { Frame } from './shell/frame.tsx'
import { readTokenSearch } from './tokens/list/token-filter.ts'
import { Skeleton } from './ui/feedback.tsx'
import { readListSearch } from './ui/table/list-search.ts'

const rootRoute = createRootRoute({
  component: Frame,
  notFoundComponent: NotFoundPage,
  validateSearch: readNamespaceSearch,
  // Links stay in the namespace of the page that they are on.
  search: { middlewares: [retainSearchParams<NamespaceSearch>(['ns'])] },
})

/** @param readSearch reads the search of a URL; absent: the page has none. */
function page<const Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  component: keyof Module & string,
  readSearch?: (search: Readonly<Record<string, unknown>>) => object,
) {
  return createRoute({
    getParentRoute: (): AnyRoute => rootRoute,
    path,
    component: lazyRouteComponent(load, component),
    ...(readSearch ? { validateSearch: readSearch } : {}),
  })
}

const pages = [
  page('/', () => import('./home/home-page.tsx'), 'HomePage'),
  page('tokens', () => import('./tokens/list/tokens-page.tsx'), 'TokensPage', readTokenSearch),
  page('tokens/$accessorId', () => import('./tokens/token-page.tsx'), 'TokenPage'),
  page('policies', () => import('./policies/policies-page.tsx'), 'PoliciesPage', readListSearch),
  page('policies/new', () => import('./policies/policy-page.tsx'), 'NewPolicyPage'),
  page('policies/$id', () => import('./policies/policy-page.tsx'), 'PolicyPage'),
  page('roles', () => import('./roles/roles.tsx'), 'RolesPage', readListSearch),
  page('roles/$id', () => import('./roles/roles.tsx'), 'RolePage'),
  page('login-methods', () => import('./login-methods/login-methods.tsx'), 'LoginMethodsPage'),
  page('login-methods/$name', () => import('./login-methods/login-methods.tsx'), 'LoginMethodPage'),
  page('ask', () => import('./ask/ask.tsx'), 'MayPage', readQuestion),
  page('ask/who', () => import('./ask/ask.tsx'), 'WhoPage', readQuestion),
  page('kv', () => import('./kv/kv-page.tsx'), 'KvPage', readKvSearch),
  page('sessions', () => import('./locks/sessions.tsx'), 'SessionsPage', readListSearch),
  page('sessions/$id', () => import('./locks/sessions.tsx'), 'SessionPage'),
  page('services', () => import('./catalog/services.tsx'), 'ServicesPage', readCatalogSearch),
  page('services/$name', () => import('./catalog/services.tsx'), 'ServicePage'),
  page('nodes', () => import('./catalog/nodes.tsx'), 'NodesPage', readCatalogSearch),
  page('nodes/$name', () => import('./catalog/nodes.tsx'), 'NodePage'),
  page('intentions', () => import('./intentions/intentions-page.tsx'), 'IntentionsPage', readIntentionSearch),
  page('upgrade', () => import('./upgrade/upgrade-page.tsx'), 'UpgradePage'),
  page('upgrade/plan', () => import('./upgrade/plan-page.tsx'), 'PlanPage'),
  page('datacenters', () => import('./datacenters/datacenters-page.tsx'), 'DatacentersPage'),
  page('namespaces', () => import('./namespaces/namespaces.tsx'), 'NamespacesPage', readListSearch),
  page('namespaces/$name', () => import('./namespaces/namespaces.tsx'), 'NamespacePage'),
]

const router = createRouter({
  routeTree: rootRoute.addChildren(pages),
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

export default function Workspace() {
  return <RouterProvider router={router} />
}
