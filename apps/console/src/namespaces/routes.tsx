import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readListSearch } from '../ui/table/list-search.ts'

export const namespaceRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'namespaces',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./namespaces-page.tsx'), 'NamespacesPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'namespaces/$name',
    component: lazyRouteComponent(() => import('./namespace-page.tsx'), 'NamespacePage'),
  }),
]
