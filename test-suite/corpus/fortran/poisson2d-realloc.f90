! Jacobi's method with a source: the new grid is assigned whole to the old one, and the loop is left once they are alike.
module solver
  implicit none
contains
  subroutine jacobi(u, f, h, tolerance, most, iterations)
    double precision, allocatable, intent(inout) :: u(:, :)
    double precision, intent(in) :: f(:, :), h, tolerance
    integer, intent(in) :: most
    integer, intent(out) :: iterations
    double precision, allocatable :: unew(:, :)
    double precision :: change
    integer :: i, j, k

    unew = u
    do k = 1, most
      do j = 2, size(u, 2) - 1
        do i = 2, size(u, 1) - 1
          unew(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) + h**2*f(i, j))
        end do
      end do
      change = maxval(abs(unew - u))
      u = unew
      if (change < tolerance) exit
    end do
    iterations = k
  end subroutine jacobi
end module solver

program main
  use corpus
  use solver
  implicit none
  integer :: nx, ny, nz, steps, iterations
  double precision, allocatable :: a(:), f(:), u(:, :), results(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(f, points(nx, ny, 1))
    call new_array(results, points(1, 1, 1))
    u = reshape(a(1:points(nx, ny, 1)), [max(nx, 0), max(ny, 0)])
    call jacobi(u, reshape(f(1:points(nx, ny, 1)), [max(nx, 0), max(ny, 0)]), 0.1d0, 0.1d0, steps, iterations)
    a(1:points(nx, ny, 1)) = reshape(u, [points(nx, ny, 1)])
    results(1) = iterations
    call dump('u', a)
    call dump('results', results)
    call end_case()
  end do
end program main
