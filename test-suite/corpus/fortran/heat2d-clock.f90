! Time, its step and its end are components of a derived type, beside its grids.
module solvers
  implicit none
  type :: solver
    double precision :: time, dt, end, spread
    double precision, allocatable :: u(:, :), v(:, :)
  end type solver
contains
  subroutine run(s)
    type(solver), intent(inout) :: s
    integer :: i, j

    do while (s%time < s%end)
      do j = 2, size(s%u, 2) - 1
        do i = 2, size(s%u, 1) - 1
          s%v(i, j) = s%u(i, j) + s%spread*(s%u(i - 1, j) + s%u(i + 1, j) + s%u(i, j - 1) + s%u(i, j + 1) &
                                            - 4d0*s%u(i, j))
        end do
      end do
      s%u = s%v
      s%time = s%time + s%dt
    end do
  end subroutine run
end module solvers

program main
  use corpus
  use solvers
  implicit none
  integer :: nx, ny, nz, steps, all
  double precision, allocatable :: a(:), b(:)
  type(solver) :: s

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    s%time = 0d0
    s%dt = 0.125d0
    s%end = 0.125d0*steps
    s%spread = 0.1d0
    allocate (s%u(nx, ny), s%v(nx, ny))
    all = size(s%u)
    s%u = reshape(a(1:all), shape(s%u))
    s%v = s%u
    call run(s)
    a(1:all) = reshape(s%u, [all])
    b(1:all) = reshape(s%v, [all])
    deallocate (s%u, s%v)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
