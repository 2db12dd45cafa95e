import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readListSearch } from '../ui/table/list-search.ts'

export const lockRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'sessions',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'sessions/$id',
    component: lazyRouteComponent(() => import('./session-page.tsx'), 'SessionPage'),
  }),
]
