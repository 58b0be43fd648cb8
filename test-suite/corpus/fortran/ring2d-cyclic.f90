! Cyclic shifts in a function of assumed shape, by one point and by as many as the run says, also by none and by more than there are.
module torus
  implicit none
contains
  function spread(f, along, across) result(change)
    double precision, intent(in) :: f(:, :)
    integer, intent(in) :: along, across
    double precision :: change(size(f, 1), size(f, 2))

    change = cshift(f, along, 1) + cshift(f, -along, 1) + cshift(f, across, 2) + cshift(f, -across, 2) - 4*f
  end function spread
end module torus

program main
  use corpus
  use torus
  implicit none
  integer :: nx, ny, nz, steps, t, n, m
  double precision, allocatable :: a(:), u(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    allocate (u(n, m))
    u = reshape(a(1:n*m), [n, m])
    do t = 1, steps
      u = u + 0.1d0*spread(u, 1, 1) + 0.05d0*spread(u, mod(n, 5), -m - 2)
    end do
    a(1:n*m) = reshape(u, [n*m])
    deallocate (u)
    call dump('u', a)
    call end_case()
  end do
end program main
