! A logical says whether the sweep has ended; sweeps go there and back by copying.
subroutine poisson(u, v, n, m, most, steps)
  implicit none
  integer, intent(in) :: n, m, most
  double precision, intent(inout) :: u(n, m), v(n, m)
  integer, intent(out) :: steps
  logical :: converged
  integer :: i, j

  steps = 0
  converged = .false.
  do while (.not. converged .and. steps < most)
    converged = .true.
    do j = 2, m - 1
      do i = 2, n - 1
        v(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
        if (abs(v(i, j) - u(i, j)) > 1d-2) converged = .false.
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j) = v(i, j)
      end do
    end do
    steps = steps + 1
  end do
end subroutine poisson

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, ended
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call poisson(a, b, nx, ny, steps, ended)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
