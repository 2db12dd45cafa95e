import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readTokenSearch } from './list/token-filter.ts'

export const tokenRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'tokens',
    validateSearch: readTokenSearch,
    component: lazyRouteComponent(() => import('./list/tokens-page.tsx'), 'TokensPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'tokens/$accessorId',
    component: lazyRouteComponent(() => import('./token-page.tsx'), 'TokenPage'),
  }),
]
