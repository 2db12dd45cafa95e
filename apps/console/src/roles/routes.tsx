import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readListSearch } from '../ui/table/list-search.ts'

export const roleRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'roles',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./roles-page.tsx'), 'RolesPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'roles/$id',
    component: lazyRouteComponent(() => import('./role-page.tsx'), 'RolePage'),
  }),
]
