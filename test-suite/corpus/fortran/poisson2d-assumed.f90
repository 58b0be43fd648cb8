! Arrays of assumed shape, a work array of the same, and the largest change by maxval.
module relaxation
  implicit none
contains
  subroutine relax(phi, rho, h, tolerance, most)
    double precision, intent(inout) :: phi(:, :)
    double precision, intent(in) :: rho(:, :), h, tolerance
    integer, intent(in) :: most
    double precision, allocatable :: new(:, :)
    double precision :: change
    integer :: n, m, i, j, steps

    if (most == 0) return
    n = size(phi, 1)
    m = size(phi, 2)
    allocate (new(n, m))
    new = phi
    steps = 0
    do
      do j = 2, m - 1
        do i = 2, n - 1
          new(i, j) = 0.25d0*(phi(i - 1, j) + phi(i + 1, j) + phi(i, j - 1) + phi(i, j + 1) + h*h*rho(i, j))
        end do
      end do
      change = maxval(abs(new - phi))
      phi = new
      steps = steps + 1
      if (change < tolerance .or. steps >= most) exit
    end do
  end subroutine relax
end module relaxation

program main
  use corpus
  use relaxation
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable, target :: a(:), b(:)
  double precision, pointer :: phi(:, :), rho(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    phi(1:nx, 1:ny) => a
    rho(1:nx, 1:ny) => b
    call relax(phi, rho, 0.1d0, 1d-2, steps)
    call dump('phi', a)
    call dump('rho', b)
    call end_case()
  end do
end program main
