! Laplace's equation until hardly anything changes: the old grid is assigned whole in each iteration, and the largest change is
! told now and then.
module laplace_equation
  implicit none
contains
  subroutine laplace(t, results, steps, tolerance)
    double precision, allocatable, intent(inout) :: t(:, :)
    double precision, intent(inout) :: results(2)
    integer, intent(in) :: steps
    double precision, intent(in) :: tolerance
    double precision, allocatable :: told(:, :)
    double precision :: change
    integer :: iterations, n, m

    n = size(t, 1)
    m = size(t, 2)
    allocate (told(n, m))
    iterations = 0
    change = tolerance
    do while (tolerance <= change .and. iterations < steps)
      told = t
      t(2:n - 1, 2:m - 1) = 0.25d0*(told(1:n - 2, 2:m - 1) + told(3:n, 2:m - 1) + told(2:n - 1, 1:m - 2) + told(2:n - 1, 3:m))
      change = maxval(abs(t(1:n, 1:m) - told(1:n, 1:m)))
      iterations = iterations + 1
      if (mod(iterations, 10) == 0) print '(i6, es14.6)', iterations, change
    end do
    results(1) = change
    results(2) = iterations
  end subroutine laplace
end module laplace_equation

program main
  use corpus
  use laplace_equation
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), t(:, :), results(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(results, points(2, 1, 1))
    allocate (t(max(nx, 0), max(ny, 0)))
    t = reshape(a(1:points(nx, ny, 1)), [max(nx, 0), max(ny, 0)])
    call laplace(t, results(1:2), steps, 0.1d0)
    a(1:points(nx, ny, 1)) = reshape(t, [points(nx, ny, 1)])
    deallocate (t)
    call dump('t', a)
    call dump('results', results)
    call end_case()
  end do
end program main
